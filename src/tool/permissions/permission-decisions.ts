import { definedFields } from "../../platform/index.ts";
import type { CommandPlace, PermissionDecision, PermissionMode, Refusal } from "../../protocol/index.ts";
import { type Rule, ruleName } from "./permission-rules.ts";

/** The parts of a refusal that depend on the call. */
export type RefusedCall = Partial<Refusal>;

const refusalOf = (
  usual: Refusal["cause"],
  { cause = usual, part, why, parts, hints = [], rules = [] }: RefusedCall,
): Refusal => ({ cause, ...definedFields({ part, why, parts }), hints, rules });

export function forbiddenDenial(rule: Rule, call: RefusedCall = {}): PermissionDecision {
  const why = `the rule ${rule.text} forbids it`;
  return {
    behavior: "deny",
    rule: ruleName("deny", rule),
    reason: why,
    refusal: refusalOf("rule", { ...call, why }),
  };
}

export function planDenial(tool: string, call: RefusedCall = {}): PermissionDecision {
  const because = call.why === undefined ? "" : ` (${call.why})`;
  return {
    behavior: "deny",
    rule: "mode plan",
    reason: `${tool} may not change or run anything in plan mode${because}`,
    refusal: refusalOf("plan", call),
  };
}

export const protectedDenial = (why: string): PermissionDecision => ({
  behavior: "deny",
  rule: "protected path",
  reason: `${why}, and agents may not write there, whatever the rules allow`,
  refusal: refusalOf("protected", { why }),
});

/** A line that bash would refuse, too, is not a question of permission. */
export const syntaxDenial = (problem: string): PermissionDecision => ({
  behavior: "deny",
  rule: "syntax",
  reason: `bash cannot parse this: ${problem}`,
  refusal: refusalOf("syntax", { why: problem }),
});

export interface AskRequest {
  /** One line about the call. */
  readonly title: string;
  readonly mode: PermissionMode;
}

export interface AskDetails {
  readonly rule: string;
  readonly reason?: string | undefined;
  readonly suggestions: readonly string[];
  /** The same for the model. By default its reason and rules are those of the question. */
  readonly refused?: RefusedCall | undefined;
  /** Where a command runs after a yes. */
  readonly place?: CommandPlace | undefined;
  /** True if there are walls: the question then says where the command runs. */
  readonly hasWalls?: boolean | undefined;
}

/** Returns a question, or a denial in mode `dontAsk`. */
export function askDecision(request: AskRequest, details: AskDetails): PermissionDecision {
  const { rule, reason, suggestions, refused, place, hasWalls } = details;
  const { title, mode } = request;
  const refusal = refusalOf("permission", { why: reason, rules: suggestions, ...refused });
  if (mode === "dontAsk") {
    const why = refusal.why === undefined ? "" : ` (${refusal.why})`;
    return {
      behavior: "deny",
      rule: rule === "mode dontAsk" ? rule : `${rule}, mode dontAsk`,
      reason: `it needs permission${why}, and the mode dontAsk asks no questions`,
      refusal,
    };
  }
  return {
    behavior: "ask",
    rule,
    question: `Allow ${title}?${place && hasWalls ? whereText(place, title) : ""}`,
    ...(place && { place }),
    ...(hasWalls && { hasWalls }),
    ...(reason !== undefined && { reason }),
    suggestions,
    refusal,
  };
}

/** The title of a call that asks to run outside says so itself. */
function whereText({ walls }: CommandPlace, title: string): string {
  if (walls !== "open") return " It runs inside the sandbox, without network.";
  return title.endsWith("(outside the sandbox)") ? "" : " It runs outside the sandbox.";
}
