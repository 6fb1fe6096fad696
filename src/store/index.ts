export { createMemoryLog, type EventLog, openEventLog } from "./event-log.ts";
export { createFileSessionStore } from "./file-session-store.ts";
export { createMemorySessionStore } from "./memory-session-store.ts";
export { repairLog } from "./repair-log.ts";
export type {
  OpenedSession,
  SessionReading,
  SessionStore,
  SessionSummary,
} from "./session-store.ts";
