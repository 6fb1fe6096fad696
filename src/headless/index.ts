export type { OutputFormat } from "./printer.ts";
export { readCommands } from "./read-commands.ts";
export { type HeadlessOptions, type InputProblem, runHeadless } from "./run-headless.ts";
export { exitCodeOf, type RunResult } from "./run-result.ts";
