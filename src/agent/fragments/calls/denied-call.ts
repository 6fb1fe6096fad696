import {
  oneLine,
  type PermissionDecision,
  type Refusal,
  type RefusalHint,
  withoutStop,
} from "../../../protocol/index.ts";
import { splitRules } from "../../../tool/index.ts";

/** The agent whose call is refused, as far as the text depends on it. */
export interface DeniedAgent {
  /** The names of its tools: the text names no other. */
  readonly tools: readonly string[];
  /**
   * The meaning of the mode `plan` for it. `planner`: it presents a plan. `reader`: its type only reads. `subagent`: the
   * agent that started it is in plan mode.
   */
  readonly plan: "planner" | "reader" | "subagent";
  /** Its agent type. */
  readonly type: string;
  /** The lead of its team, if it is a teammate. */
  readonly lead?: string | undefined;
  /** True if the user reads its answers. */
  readonly isLead?: boolean | undefined;
}

export interface DeniedCall {
  /** `run`, `read`, `changed`, … */
  readonly verb: string;
  /** One line about the call. */
  readonly title: string;
  readonly decision: Extract<PermissionDecision, { behavior: "deny" | "ask" }>;
  readonly agent: DeniedAgent;
  /** The reason why no permission was given. */
  readonly because?: string | undefined;
}

/** The result of a call that was refused without an answer of a person: by the rules, by the mode, or for want of a user. */
export function deniedCall(call: DeniedCall): string {
  const { decision, verb } = call;
  if (decision.behavior === "deny" && !decision.refusal) return `Not ${verb}: ${withoutStop(decision.reason)}.`;
  const refusal = decision.refusal ?? plainRefusal(decision);
  const sentences = [first(call, refusal), ...hintSentences(refusal.hints, call), last(call, refusal)];
  return sentences.filter((sentence) => sentence !== "").join(" ");
}

/** The reason alone, for a report about the agent. */
export function refusalReason({ reason, refusal }: DeniedCall["decision"]): string | undefined {
  const parts = refusal?.parts ?? [];
  const reasons = parts.length < 2 ? [] : [...new Set(parts.map(({ why }) => why))];
  return reasons.length > 0 ? reasons.join("; ") : (refusal?.why ?? reason);
}

const plainRefusal = (decision: DeniedCall["decision"]): Refusal => ({
  cause: "permission",
  why: decision.reason,
  hints: [],
  rules: decision.behavior === "ask" ? decision.suggestions : [],
});

const noUser = "no user is available to give it";

function first(call: DeniedCall, refusal: Refusal): string {
  const { verb, decision, agent, because } = call;
  const { cause, why } = refusal;
  const { what, reason, isPlural } = refusedParts(refusal, call.title);
  switch (cause) {
    case "rule":
      return `Not ${verb}: ${what} is forbidden${reason}.`;
    case "protected":
      return `Not ${verb}: ${why}. Agents may not write there, whatever the rules allow.`;
    case "syntax":
      return `bash cannot parse this: ${why}. Nothing was run.`;
    case "permission": {
      const refuser = decision.behavior === "deny" ? "the mode dontAsk asks no questions" : (because ?? noUser);
      return `Not ${verb}: ${what} ${isPlural ? "need" : "needs"} permission${reason}, and ${refuser}.`;
    }
    case "plan":
      return `Not ${verb}: ${planReason(agent, refusedParts(refusal, call.title))}.`;
  }
}

interface RefusedParts {
  /** With a reason for each, if there are several. */
  readonly what: string;
  readonly reason: string;
  readonly isPlural: boolean;
}

function refusedParts({ part, why, parts = [] }: Refusal, title: string): RefusedParts {
  if (parts.length < 2) return { what: part ?? title, reason: why === undefined ? "" : ` (${why})`, isPlural: false };
  const shown = parts.slice(0, 3).map((each) => `${each.part} (${each.why})`);
  const more = parts.length > 3 ? [`${parts.length - 3} more`] : [];
  return { what: andList([...shown, ...more]), reason: "", isPlural: true };
}

const andList = (items: readonly string[]) => `${items.slice(0, -1).join(", ")} and ${items.at(-1)}`;

function planReason({ plan, type }: DeniedAgent, { what, reason, isPlural }: RefusedParts): string {
  const verb = isPlural ? "are" : "is";
  switch (plan) {
    case "planner":
      return `you are in plan mode, and ${what} ${verb} not allowed${reason}`;
    case "reader":
      return `${what} ${isPlural ? "do" : "does"} more than read${reason}, and an agent of type ${type} only reads`;
    case "subagent":
      return `${what} ${verb} not allowed${reason}, because the agent that started you is in plan mode`;
  }
}

function hintSentences(hints: readonly RefusalHint[], { agent, verb }: DeniedCall): readonly string[] {
  const { tools } = agent;
  return hints.flatMap((hint) => {
    switch (hint.kind) {
      case "rest":
        return ["The rest of the line is allowed: run it by itself."];
      case "edit": {
        const named = ["Edit", "Write"].filter((name) => tools.includes(name));
        return named.length === 0 ? [] : [`Change files with ${named.join(" or ")}: that is allowed.`];
      }
      case "quote":
        return [`Quote the pattern: '${hint.word}'.`];
      case "names": {
        const named = ["Glob", "Grep"].filter((name) => tools.includes(name));
        return [`Write the names out${named.length === 0 ? "" : `, or use ${named.join(" or ")}`}.`];
      }
      case "text":
        return [
          `If ${hint.text} is text, put it in single quotes${hint.commit ? " or in a file (git commit -F FILE)" : ""}: then bash does not run it.`,
        ];
      case "mode":
      case "code":
        return [];
      case "commit":
        return commitSentences(agent, hint.worktree);
      case "copy":
        return [
          `You work in a worktree of that repository. Your copy is ${hint.path}.`,
          ...(verb === "changed"
            ? ["Change your copy instead. Read it first if it differs from the file that you have read."]
            : []),
        ];
    }
  });
}

/** Names no other agent: in this folder an agent's commit needs the same permission. */
function commitSentences({ tools, isLead }: DeniedAgent, worktree: boolean): readonly string[] {
  return [
    `Leave the changes uncommitted: they stay in the folder and are not lost. Say so in your ${isLead ? "answer" : "report"}, and name the changed files: the user can commit them.`,
    ...(worktree && tools.includes("Agent")
      ? [
          'To land them anyway, start an agent with isolation "worktree": it may commit there, and copies the files with cp from this folder first. Then land its branch.',
        ]
      : []),
  ];
}

function last({ agent, title }: DeniedCall, { cause, rules, hints }: Refusal): string {
  switch (cause) {
    case "rule":
      return "Do not try to get the same effect another way. Continue without it, or say what you need and stop.";
    case "protected":
      return "Do not try to get the same effect another way. Tell the user what to change instead.";
    case "syntax":
      return "";
    case "permission": {
      const mode = hints.flatMap((hint) => (hint.kind === "mode" ? [`--permission-mode ${hint.mode}`] : []));
      const ways = [...(rules.length === 0 ? [] : [allowedWith(rules)]), ...mode, ...codeWays(hints)].join(" or ");
      if (hints.some(({ kind }) => kind === "commit"))
        return `The user can also allow ${ways === "" ? "commits with the rules Bash(git add:*) and Bash(git commit:*)" : `it with ${ways}`}.`;
      return `If you cannot do without it, say so in your answer${ways === "" ? "" : `: the user can allow it with ${ways}`}.`;
    }
    case "plan":
      return planAdvice(agent, title);
  }
}

/** A rule for the code itself would be unreadable, and of no use for the next call. */
const codeWays = (hints: readonly RefusalHint[]): readonly string[] =>
  hints.flatMap((hint) =>
    hint.kind !== "code"
      ? []
      : [
          ...(hint.program === undefined
            ? []
            : [`${allowedWith([`Bash(${hint.program}:*)`])} (any code for ${hint.program})`]),
          "an answer in an interactive session",
        ],
  );

function planAdvice({ plan, lead, tools }: DeniedAgent, title: string): string {
  switch (plan) {
    case "planner":
      return tools.includes("ExitPlanMode")
        ? "Continue reading, and call ExitPlanMode with the plan when it is ready: words of approval do not end plan mode."
        : "Continue reading, and present the plan when it is ready.";
    case "reader": {
      const branch = branchIn(title);
      if (branch !== undefined) return `To see that branch, run git diff HEAD...${branch}.`;
      return lead === undefined
        ? "Say in your answer what you would have run."
        : `Ask ${lead} to have it run, or say in your answer what you would have run.`;
    }
    case "subagent":
      return "Say in your answer what you would have done.";
  }
}

/** The branch that a git command would bring to the agent's folder. */
const branchIn = (title: string): string | undefined =>
  /\bgit (?:merge|checkout|switch|rebase|pull \S+)(?: -\S+)* ([\w./-]*\/[\w./-]+)/.exec(title)?.[1];

/** Names the flag if a shell can carry the rules in quotes, otherwise the setting. */
export function allowedWith(rules: readonly string[]): string {
  const text = rules.join(" ");
  const isSplit = splitRules(text).join(" ") === rules.join(" ") && splitRules(text).length === rules.length;
  if (isSplit && !/["$`\\!]/.test(text)) return `--allowedTools "${text}"`;
  if (isSplit && !text.includes("'")) return `--allowedTools '${text}'`;
  return `permissions.allow ${JSON.stringify(rules)} in the settings`;
}

/** A command that an agent may not run without asking. */
export interface RefusedCommand {
  readonly why: string;
  /** The flag or setting with which the user can allow it, as text. Undefined if no narrow rule does. */
  readonly allowedWith: string | undefined;
}

/** Undefined if the command is allowed. */
export function refusedCommand(decision: PermissionDecision): RefusedCommand | undefined {
  if (decision.behavior === "allow") return undefined;
  const { cause, why, rules } = decision.refusal ?? plainRefusal(decision);
  return {
    why: oneLine(why ?? decision.reason ?? "it needs permission"),
    allowedWith: cause === "permission" && rules.length > 0 ? allowedWith(rules) : undefined,
  };
}

/** The result of a call that the lead of a team refused. */
export const deniedByLead = (message: string | undefined): string =>
  message
    ? `The lead of your team refused this call and says: ${message}`
    : "The lead of your team refused this call. Do not repeat it, and do not try to get the same effect another way. Ask what the lead wants instead, or continue without it.";

/** The result of a call that the user refused. */
export const deniedByUser = (message: string | undefined): string =>
  message
    ? `The user refused this call and says: ${message}`
    : "The user refused this call. Do not repeat it, and do not try to get the same effect another way. Ask what they want instead, or continue without it.";

/** The result of a call that needs approval when no answer came in time. `message` says who did not answer. */
export const deniedByTimeout = (message = "no answer came in time", next = lateNext): string =>
  `Not run: ${message}. This was a timeout, not a refusal. ${next}`;

const lateNext = "Continue without it, try again later, or say in your report what you need.";

/** A comment that came with an approval, and who made it. */
export interface ApprovalNote {
  readonly text: string;
  readonly by: "user" | "lead";
}

/** Added to the result of a call that was allowed with a comment. */
export const allowedWithNote = ({ text, by }: ApprovalNote, tool: string): string =>
  `The ${by} ${tool === "ExitPlanMode" ? "approved the plan" : "allowed this call"} and says: ${text}`;

/** Added to what an agent in a worktree reads in the main checkout. */
export const readInMainCheckout = (copy: string): string => `[This is the main checkout. Your copy is ${copy}.]`;

/** Added to the result of a change that a rule allows although the file is not in the working directory. */
export const changedOutside = (folder: string): string => `[This file is outside the working directory ${folder}.]`;
