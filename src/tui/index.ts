export type { Fact, FrontendFacts, NextSession, TrustFacts } from "./frontend-facts.ts";
export { firstRunScreen } from "./panels/first-run-screen.ts";
export type { Preferences } from "./preferences.ts";
export { runTui, type TuiOptions } from "./run-tui.ts";
