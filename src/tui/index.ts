export type { FrontendFacts, NextSession } from "./face-facts.ts";
export { firstRunScreen } from "./first-run.ts";
export type { Preferences } from "./preferences.ts";
export { runTui, type TuiOptions } from "./run-tui.ts";
