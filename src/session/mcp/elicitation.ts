import type { PermissionPorts, PermissionQuestion } from "../../agent/index.ts";
import type { CreateId } from "../../platform/index.ts";
import type { CallId, PermissionAnswer, RequestId, StoredEvent } from "../../protocol/index.ts";
import { cleanText } from "../../tool/index.ts";

export interface ElicitPorts {
  readonly record: (event: StoredEvent) => Promise<void>;
  /** Returns undefined if no user can answer. */
  readonly ask: PermissionPorts["ask"];
  readonly createId: CreateId;
}

/** A server's question to the user, with the form to fill in. */
export interface Elicitation {
  readonly message: string;
  readonly requestedSchema?: { readonly required?: readonly string[] | undefined } | undefined;
}

export type ElicitAnswer =
  | { action: "accept"; content: Record<string, string | number | boolean | string[]> }
  | { action: "decline" | "cancel" };

/**
 * Handles a server's question like a permission question: it is stored, shown and answered in the same way. The
 * answer's `input` has the user's values. A denial declines, and so does a session without a user.
 */
export async function elicit(
  ports: ElicitPorts,
  { server, request, signal }: { server: string; request: Elicitation; signal: AbortSignal },
): Promise<ElicitAnswer> {
  const requestId = ports.createId<RequestId>("ask");
  const question: PermissionQuestion = {
    requestId,
    callId: ports.createId<CallId>("call"),
    tool: `mcp__${server}`,
    input: { message: request.message, requestedSchema: request.requestedSchema },
    question: `${server} asks: ${cleanText(request.message).slice(0, 2_000)}`,
    suggestions: [],
  };
  // Ask before publishing, because a subscriber may answer at once.
  const asked = ports.ask(question, signal);
  asked?.catch(() => undefined); // awaited below, so a rejection is not lost
  await ports.record({ type: "permission.asked", ...question });
  const settle = (behavior: "allow" | "deny", by: "user" | "policy" | "interrupt") =>
    ports.record({ type: "permission.settled", requestId, behavior, by });

  if (!asked) {
    await settle("deny", "policy");
    return { action: "decline" };
  }
  let answer: PermissionAnswer;
  try {
    answer = await asked;
  } catch (error) {
    await settle("deny", "interrupt");
    if (signal.aborted) return { action: "cancel" };
    throw error;
  }
  const content = answer.behavior === "allow" ? filledIn(answer.input, request) : undefined;
  await settle(content ? "allow" : "deny", "user");
  return content ? { action: "accept", content } : { action: "decline" };
}

/** Returns undefined if a required value is missing. */
function filledIn(input: unknown, { requestedSchema }: Elicitation) {
  const given = typeof input === "object" && input !== null ? Object.entries(input) : [];
  const content = Object.fromEntries(given.filter((entry): entry is [string, Value] => isValue(entry[1])));
  return (requestedSchema?.required ?? []).every((name) => name in content) ? content : undefined;
}

type Value = string | number | boolean | string[];

const isValue = (value: unknown): value is Value =>
  ["string", "number", "boolean"].includes(typeof value) ||
  (Array.isArray(value) && value.every((item) => typeof item === "string"));
