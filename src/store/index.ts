export { createMemoryLog, type EventLog, openEventLog } from "./event-log.ts";
export { createFileSessionStore } from "./file-session-store.ts";
export { createMemorySessionStore } from "./memory/memory-session-store.ts";
export { createMemoryWorld, type MemoryProcess, type MemoryWorld } from "./memory/memory-world.ts";
export { type CatalogEntry, createSessionCatalog, type SessionCatalog } from "./session-catalog.ts";
export type { SessionFiles } from "./session-files.ts";
export { openSessionCopy } from "./session-copy.ts";
export { isEmptySession, isTeammateSession } from "./summarize-session.ts";
export { tailSession } from "./session-tail.ts";
export { repairLog } from "./repair-log.ts";
export type {
  OpenedSession,
  SessionReading,
  SessionStore,
  SessionSummary,
} from "./session-store.ts";
export type { BusAddress } from "./nats/connection/bus.ts";
export { openNatsTeamStore } from "./nats/load-nats-team-store.ts";
export { claudeCommand } from "./claude-files/claude-command.ts";
export { openTeamStore } from "./open-team-store.ts";
export { createFileTeamStore } from "./team/load-file-team-store.ts";
export { createRunFilter, logsAcrossRuns } from "./team/logs-across-runs.ts";
export { checkName } from "./team/record/team-names.ts";
export type { HeldMail, Inbox, InboxReader, MailBodies } from "./team/inbox/inbox.ts";
export { openMailFiles } from "./team/inbox/mail-files.ts";
export { shareTeams } from "./team/share-open-teams.ts";
export type { OwnPresence } from "./team/presence/presence.ts";
export type {
  NewTask,
  TaskActor,
  TaskAnswer,
  TaskChange,
  TaskClaimer,
  TaskList,
  TaskPatch,
  TaskProof,
  TaskRefusal,
} from "./team/tasks/task-list.ts";
export { loadTaskList } from "./team/tasks/load-task-list.ts";
export { openTaskList } from "./team/tasks/journal-task-list.ts";
export { heldReservations, reservationsOf } from "./team/record/reservations.ts";
export type { KeyUse, MemberKey, MemberPatch, NewMember, TeamPatch, TeamRecord } from "./team/record/team-record.ts";
export { teamFiles } from "./team/team-files.ts";
export type { StoredTeam, TeamStore, TeamSummary } from "./team/team-store.ts";
