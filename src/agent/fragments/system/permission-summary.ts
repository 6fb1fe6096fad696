import type { PermissionMode } from "../../../protocol/index.ts";
import type { Rule } from "../../../tool/index.ts";
import { escapeSenders } from "../escape-markup.ts";

export interface PermissionFacts {
  readonly mode: PermissionMode;
  /**
   * The one that answers when a call needs permission. `lead`: the request goes to the lead of the team. Undefined: not
   * known when the prompt is written.
   */
  readonly asks?: "user" | "lead" | "none" | undefined;
  /** The allow rules in effect. */
  readonly allow: readonly Pick<Rule, "text">[];
  /** True for an agent type that only reads: its mode is `plan`, but it has no plan to present. */
  readonly onlyReads?: boolean | undefined;
  /** True if the agent works in its own worktree, where it may commit. */
  readonly ownWorktree?: boolean | undefined;
  /** True for a coordinator: only its workers have tools for files and commands. */
  readonly forWorkers?: boolean | undefined;
}

/** Returns one or two lines: the calls that the agent may make without asking, and what happens to the others. */
export function permissionSummary(facts: PermissionFacts): string {
  const { mode, onlyReads } = facts;
  const head = facts.asks === "user" ? "- Permissions, until the user changes them:" : "- Permissions:";
  if (onlyReads)
    return `${head} you only read. Calls that change files, and commands that do more than read, are refused${facts.allow.length === 0 ? "" : ", also those that a rule allows"}.`;
  const who = facts.forWorkers ? "your workers" : "you";
  switch (mode) {
    case "plan":
      return `${head} plan mode. Calls that change files, and commands that do more than read, are refused until the plan is approved.`;
    case "bypassPermissions":
      return `${head} ${mode}. Every call runs without asking, except what a deny rule forbids.`;
    case "dontAsk":
      return `${head} ${mode}. ${facts.forWorkers ? "Your workers" : "You"} may ${free(facts)}. Every other call is refused. ${noPrograms(facts)}`;
    case "default":
    case "acceptEdits":
    case "bubble":
      return `${head} ${mode === "bubble" ? "those of the agent that started you" : mode}. Without asking ${who} may ${free(facts)}.${commits(facts)} ${others(facts)}`;
  }
}

function free({ mode, allow, ownWorktree, forWorkers }: PermissionFacts): string {
  const commands = ownWorktree
    ? "mkdir, mv, cp, rm, sed -i, git add and git commit"
    : `mkdir, mv, cp, sed -i, git add, and rm of files that are committed or that ${forWorkers ? "they" : "you"} created`;
  const edit =
    mode === "acceptEdits"
      ? `read and change files in the working directory (also with ${commands})`
      : "read files in the working directory";
  const rules = shown(allow.map(({ text }) => text));
  return rules === ""
    ? `${edit} and run commands that only read`
    : `${edit}, run commands that only read, and use what the rules allow: ${rules}`;
}

/** The line of a commit is judged before it runs, and another program on it could change what is committed. */
const commits = ({ mode, ownWorktree }: PermissionFacts): string =>
  mode === "acceptEdits" && ownWorktree
    ? " Run git add and git commit on their own command line, without tests or other programs."
    : "";

function others(facts: PermissionFacts): string {
  switch (facts.asks) {
    case "user":
      return "For every other call the user is asked.";
    case "lead":
      return "For every other call your team lead's user is asked, which takes time.";
    case "none":
      return `Every other call is refused: no user is available to give permission. ${noPrograms(facts)}${noCommit(facts)}`;
    case undefined:
      return "Every other call needs permission.";
  }
}

/** Said once here, because otherwise a test, a check of a task and a check of a landing are refused one by one. */
const noPrograms = ({ allow }: PermissionFacts): string =>
  `So tests, builds and other programs${allow.length === 0 ? "" : " that no rule allows"} cannot run, also not as a check of a task or of a landing: say in your answer what was not checked. The user can allow them with --allowedTools.`;

/** Said before the work is given out: what is made in a shared folder stays uncommitted. */
const noCommit = ({ mode, allow, ownWorktree }: PermissionFacts): string =>
  mode !== "acceptEdits" || ownWorktree || allow.some(({ text }) => /^Bash(?:$|\(git(?: commit)?\b)/.test(text))
    ? ""
    : " Only an agent in its own worktree can commit.";

const limit = 300;

/** Lists the rules, up to a limit. */
function shown(rules: readonly string[]): string {
  const listed: string[] = [];
  for (const rule of new Set(rules)) {
    if ([...listed, rule].join(", ").length > limit) break;
    listed.push(rule);
  }
  const more = new Set(rules).size - listed.length;
  return escapeSenders([...listed, ...(more > 0 ? [`${more} more`] : [])].join(", "));
}
