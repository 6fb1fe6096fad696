export { createMemoryLog, type EventLog, openEventLog } from "./event-log.ts";
export { createFileSessionStore } from "./file-session-store.ts";
export { createMemorySessionStore } from "./memory-session-store.ts";
export { type CatalogEntry, createSessionCatalog, type SessionCatalog } from "./session-catalog.ts";
export type { SessionFiles } from "./session-files.ts";
export { openSessionCopy } from "./session-copy.ts";
export { tailSession } from "./session-tail.ts";
export { repairLog } from "./repair-log.ts";
export type {
  OpenedSession,
  SessionReading,
  SessionStore,
  SessionSummary,
} from "./session-store.ts";
export type { BusAddress } from "./nats/bus.ts";
export type { JobOrder, JobOutcome, JobSpec, JobState } from "./work/job.ts";
export { loadWorkBus } from "./work/load-work-bus.ts";
export { workLabel } from "./work/work-label.ts";
export type { HeldJob, JobNews, SubmittedJob, WorkBus } from "./work/work-bus.ts";
export type { BusStatus, BusStream } from "./nats/bus-status.ts";
export type { BusJob } from "./work/work-status.ts";
export { loadBusStatus } from "./nats/load-bus-status.ts";
export { openNatsTeamStore } from "./nats/load-nats-team-store.ts";
export { claudeCommand } from "./claude-files/claude-command.ts";
export { openTeamStore } from "./open-team-store.ts";
export { createFileTeamStore } from "./team/load-team-store.ts";
export { createRunFilter, logsAcrossRuns } from "./team/agent-lives.ts";
export { checkName } from "./team/names.ts";
export type { HeldMail, Inbox, InboxReader, MailBodies } from "./team/inbox-port.ts";
export { openMailFiles } from "./team/mail-files.ts";
export { shareTeams } from "./team/share-teams.ts";
export type { OwnPresence } from "./team/presence-port.ts";
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
} from "./team/task-list-port.ts";
export { loadTaskList } from "./team/load-task-list.ts";
export { openTaskList } from "./team/task-list.ts";
export { heldReservations, reservationsOf } from "./team/reservations.ts";
export type { KeyUse, MemberKey, MemberPatch, NewMember, TeamPatch, TeamRecord } from "./team/team-record-port.ts";
export { teamFiles } from "./team/team-files.ts";
export type { StoredTeam, TeamStore } from "./team/team-store.ts";
