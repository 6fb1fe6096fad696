import type { PermissionDecision, PermissionMode } from "../../protocol/index.ts";
import type { Tool } from "../define-tool.ts";
import type { Rule } from "./permission-rules.ts";

export const forbiddenDenial = ({ text }: Rule) =>
  `The rule ${text} forbids this. Do not try to get round it: find another way, or ask the user.`;

export const planDenial = (tool: string): PermissionDecision => ({
  behavior: "deny",
  rule: "mode plan",
  reason: `In plan mode nothing is changed or run: ${tool} is not allowed. Go on reading, and present the plan when it is ready.`,
});

export const protectedDenial = (what: string): PermissionDecision => ({
  behavior: "deny",
  rule: "protected path",
  reason: `${what}. Agents do not write there, whatever the rules allow: tell the user what to change instead.`,
});

export interface AskRequest {
  readonly tool: Pick<Tool, "name">;
  /** What is asked about, in one line. */
  readonly title: string;
  readonly mode: PermissionMode;
}

/** A question, or in `dontAsk` its answer. */
export function askDecision(
  request: AskRequest,
  { rule, reason, suggestions }: { rule: string; reason?: string | undefined; suggestions: readonly string[] },
): PermissionDecision {
  const { tool, title, mode } = request;
  const because = reason === undefined ? {} : { reason };
  if (mode === "dontAsk") {
    const why = reason === undefined ? "" : ` (${reason})`;
    const answer = `${tool.name} would need the user's permission here${why}, and nobody is asked in this session. Find a way that needs none, or say what you would need.`;
    return { behavior: "deny", rule: rule === "mode dontAsk" ? rule : `${rule}, mode dontAsk`, reason: answer };
  }
  return { behavior: "ask", rule, question: `Allow ${title}?`, ...because, suggestions };
}
