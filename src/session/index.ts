export type { RunOutcome } from "../agent/index.ts";
export { type Config, type ConfigInput, loadConfig, settingsProblems } from "./load-config.ts";
export { openStore } from "./open-store.ts";
export type { Session } from "./session.ts";
export type { PermissionAsker } from "./session-parts.ts";
export { startSession, type StartOptions } from "./start-session.ts";
export { createSession, type CreateSessionOptions } from "./create-session.ts";
export type { LibrarySession, Reply } from "./library-session.ts";
