import type { PermissionDecision, PermissionMode } from "../../protocol/index.ts";
import type { Tool } from "../define-tool.ts";
import type { Rule } from "./permission-rules.ts";

export const forbiddenDenial = ({ text }: Rule) =>
  `The rule ${text} forbids this. Do not try to bypass it. Find another way, or ask the user.`;

export const planDenial = (tool: string): PermissionDecision => ({
  behavior: "deny",
  rule: "mode plan",
  reason: `${tool} is not allowed in plan mode: nothing may be changed or run. Continue reading, and present the plan when it is ready.`,
});

export const protectedDenial = (what: string): PermissionDecision => ({
  behavior: "deny",
  rule: "protected path",
  reason: `${what}. Agents may not write there, whatever the rules allow. Tell the user what to change instead.`,
});

export interface AskRequest {
  readonly tool: Pick<Tool, "name">;
  /** One line about the call. */
  readonly title: string;
  readonly mode: PermissionMode;
}

/** Returns a question, or a denial in mode `dontAsk`. */
export function askDecision(
  request: AskRequest,
  { rule, reason, suggestions }: { rule: string; reason?: string | undefined; suggestions: readonly string[] },
): PermissionDecision {
  const { tool, title, mode } = request;
  const because = reason === undefined ? {} : { reason };
  if (mode === "dontAsk") {
    const why = reason === undefined ? "" : ` (${reason})`;
    const answer = `${tool.name} needs the user's permission here${why}, and this session asks no questions. Find a way that needs no permission, or report what you need.`;
    return { behavior: "deny", rule: rule === "mode dontAsk" ? rule : `${rule}, mode dontAsk`, reason: answer };
  }
  return { behavior: "ask", rule, question: `Allow ${title}?`, ...because, suggestions };
}
