export type { OutputFormat } from "./printer.ts";
export { readCommands } from "./read-commands.ts";
export { runHeadless } from "./run-headless.ts";
export { exitCodeOf } from "./run-result.ts";
