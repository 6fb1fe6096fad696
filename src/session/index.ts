export { agentProblemLine } from "../agent/definitions/index.ts";
export type { RunOutcome } from "../agent/index.ts";
export { type LoadedAgent, loadAgentDefinitions } from "./agent-types/load-definitions.ts";
export { checkAgents } from "./agent-types/check-definitions.ts";
export { type AgentDescription, describeAgent } from "./agent-types/describe-definition.ts";
export { sandboxesOf } from "./config/folder-sandbox.ts";
export { configRuleProblems, judgeCalls, type ListedRule, listRules } from "./inspect/list-rules.ts";
export { type Config, loadConfig, settingsProblems } from "./config/load-config.ts";
export { openStoredSessions } from "./checkpoints/stored-session.ts";
export type { DiffRequest } from "./checkpoints/diff-session.ts";
export type { RewindPoint } from "./checkpoints/rewind-points.ts";
export { openCommandCatalog } from "./slash-commands/command-catalog.ts";
export { addMcpServer, listMcpServers, removeMcpServer, testMcpServers } from "./mcp/manage-servers.ts";
export type { McpListing, McpScope } from "./mcp/server-report.ts";
export { listHooks } from "./inspect/list-hooks.ts";
export { runWorktreeRemoveHooks } from "./teams/worktree-remove-hooks.ts";
export { openSessionDirectory } from "./observe/session-directory.ts";
export type { SessionDirectory, ObservedUpdate } from "./observe/observed-session.ts";
export { openSessionStore } from "./inspect/open-session-store.ts";
export type { Session, SlashListing } from "./session.ts";
export { noOpenWork, type OpenTeamWork } from "./teams/ongoing-team-work.ts";
export type { FunctionHooks, HookFunction, MatchedHook } from "./hooks/function-hooks.ts";
export { createRunTally, type DeniedCall } from "./run-tally.ts";
export { waitForTeam } from "./wait-for-team.ts";
export type { PermissionAsker } from "./session-context.ts";
export { createConflictAgent } from "./teams/conflict-agent.ts";
export { startSession } from "./start-session.ts";
export { type StoreOptions, storeVariables } from "./config/store-variables.ts";
export { homeFolder } from "./config/home-folder.ts";
export { declineTrust, isTrustDeclined, trustFolder } from "./trust/apply-trust.ts";
export { listTrustRecords, ownerOf, removeTrustRecord } from "./trust/trust-record.ts";
export { type AgentFields, createSession, type CreateSessionOptions } from "./library/create-session.ts";
export type { AskOptions, LibrarySession, Reply } from "./library/library-session.ts";
export {
  createTeam,
  type LibraryTeam,
  type NewTeamOptions,
  openTeam,
  type TeamOptions,
} from "./library/library-team.ts";
export { joinClaudeTeam } from "./teams/join-claude-team.ts";
export { type RunningTeammate, runTeammate } from "./teams/run-teammate.ts";
export { ownExecutable } from "./config/own-executable.ts";
export { findTeammateOfSession } from "./teams/refuse-teammate-session.ts";
export type { ProcessShared } from "./teams/process-shared.ts";
export type { RemoteHost } from "./teams/remote-host.ts";
export { searchPath } from "./config/search-path.ts";
