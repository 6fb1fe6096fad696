import * as z from "zod";

/**
 * Ids are `prefix_` + 26 sortable characters. The prefix tells what an id in a log refers to. The brand keeps kinds of
 * ids apart.
 */
const idOf = <P extends string, B extends string>(prefix: P, brand: B) =>
  z
    .string()
    .regex(new RegExp(`^${prefix}_[0-9a-z]{8,40}$`), `must have the form ${prefix}_…`)
    .brand(brand);

export const SessionId = idOf("ses", "SessionId");
export type SessionId = z.infer<typeof SessionId>;
export const AgentId = idOf("agt", "AgentId");
export type AgentId = z.infer<typeof AgentId>;
export const EventId = idOf("evt", "EventId");
export type EventId = z.infer<typeof EventId>;
export const PromptId = idOf("prm", "PromptId");
export type PromptId = z.infer<typeof PromptId>;
export const RequestId = idOf("ask", "RequestId");
export type RequestId = z.infer<typeof RequestId>;
export const MailId = idOf("mail", "MailId");
export type MailId = z.infer<typeof MailId>;
export const BackgroundId = idOf("bg", "BackgroundId");
export type BackgroundId = z.infer<typeof BackgroundId>;

/** A tool call keeps its provider's id, so that a transcript can be compared with the provider's records. */
export const CallId = z.string().min(1).max(200).brand("CallId");
export type CallId = z.infer<typeof CallId>;

/** The agent's position in the tree of agents: `lead`, `lead/researcher`. */
export const AgentPath = z.string().min(1).max(400).brand("AgentPath");
export type AgentPath = z.infer<typeof AgentPath>;

export const leadPath = "lead" as AgentPath;
