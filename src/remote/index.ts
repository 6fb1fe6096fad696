export type { BusStatus, BusStream } from "./jobs/bus-status.ts";
export { loadBusStatus } from "./jobs/load-bus-status.ts";
export type { BusJob } from "./jobs/work-status.ts";
export { createRemoteBackend } from "./lead/load-remote-backend.ts";
export { mirrorTeammateLog } from "./lead/mirror-teammate-log.ts";
export { createRemoteAgents, type RemoteAgents } from "./lead/remote-agents.ts";
export { createRemoteWork, type RemoteWork } from "./lead/remote-work.ts";
export { createTeammateBudget } from "./lead/teammate-budget.ts";
export { createTeammateJobs, type TeammateJobs } from "./lead/teammate-jobs.ts";
