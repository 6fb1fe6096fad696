export { type Agent, type AgentOptions, createAgent } from "./agent.ts";
export { type Conversation, createConversation } from "./conversation.ts";
export type { EventSink } from "./event-sink.ts";
export { backgroundNotification } from "./fragments/background-notification.ts";
export { nestedInstructions } from "./fragments/instructions.ts";
export { createLedger, type Ledger } from "./limits.ts";
export { createPermissions, type PermissionPorts, type PermissionQuestion, type Permissions } from "./permissions.ts";
export { type RunAgentOptions, type RunOutcome, runAgent } from "./run-agent.ts";
export { composeSystemPrompt, refreshSystemPrompt, type SystemPromptFacts } from "./system-prompt.ts";
