import * as z from "zod";

/**
 * Ids are `prefix_` + 26 sortable characters. The prefix says what a bare id in a log refers to; the brand keeps one
 * kind from being passed for another.
 */
const idOf = <P extends string, B extends string>(prefix: P, brand: B) =>
  z
    .string()
    .regex(new RegExp(`^${prefix}_[0-9a-z]{8,40}$`), `must look like ${prefix}_…`)
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

/** A tool call keeps the id its provider gave it, so that a transcript can be held against the provider's own records. */
export const CallId = z.string().min(1).max(200).brand("CallId");
export type CallId = z.infer<typeof CallId>;

/** Where an agent stands in the tree of agents: `lead`, `lead/researcher`. */
export const AgentPath = z.string().min(1).max(400).brand("AgentPath");
export type AgentPath = z.infer<typeof AgentPath>;

export const leadPath = "lead" as AgentPath;
