import type { PermissionMode } from "../../../protocol/index.ts";
import { changesFreely, type Rule, type SandboxState } from "../../../tool/index.ts";
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
  /** The sandbox of its commands now. */
  readonly sandbox: SandboxState;
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
      return `${head} ${mode}. ${facts.forWorkers ? "Your workers" : "You"} may ${free(facts)}.${commits(facts)} Every other call is refused.${noPrograms(facts)}`;
    case "default":
    case "acceptEdits":
    case "bubble":
      return `${head} ${mode === "bubble" ? "those of the agent that started you" : mode}. Without asking ${who} may ${free(facts)}.${commits(facts)} ${others(facts)}`;
  }
}

function free(facts: PermissionFacts): string {
  const { allow } = facts;
  const files = isFree(facts)
    ? `read and change files in ${facts.ownWorktree ? "your worktree" : "the working directory"}`
    : "read files in the working directory";
  const rules = shown(allow.map(({ text }) => text));
  const parts = [
    `${files}${fileCommands(facts)}`,
    ...commands(facts),
    ...(rules === "" ? [] : [`use what the rules allow: ${rules}`]),
  ];
  const comma = parts.length > 2 ? "," : "";
  return parts.length === 1 ? parts.join("") : `${parts.slice(0, -1).join(", ")}${comma} and ${parts.at(-1)}`;
}

const isFree = ({ mode, ownWorktree = false }: PermissionFacts) => changesFreely({ mode, ownWorktree });

/** True if walls hold every command, so that none needs a question. */
const isWalled = (facts: PermissionFacts) => facts.sandbox === "ready" && isFree(facts);

/** Without a sandbox the engine knows these commands one by one. */
function fileCommands(facts: PermissionFacts): string {
  if (facts.sandbox !== "off" || !isFree(facts)) return "";
  return facts.ownWorktree
    ? " (also with mkdir, mv, cp, rm, sed -i, git add and git commit)"
    : ` (also with mkdir, mv, cp, sed -i, git add, and rm of files that are committed or that ${facts.forWorkers ? "they" : "you"} created)`;
}

function commands(facts: PermissionFacts): readonly string[] {
  switch (facts.sandbox) {
    case "ready":
      return isWalled(facts)
        ? [
            `run commands, tests and builds in the sandbox (they write only there and in /tmp, and reach only hosts that the settings allow)`,
          ]
        : ["run commands that only read"];
    case "off":
      return ["run commands that only read"];
    case "missing":
      return ["run a few fixed commands such as ls and git status"];
    case "blocked":
      return [];
  }
}

/** Without walls the line of a commit is judged before it runs, and another program on it could change what is committed. */
function commits(facts: PermissionFacts): string {
  if (facts.sandbox === "blocked") return " No command runs: the sandbox is required here and does not work.";
  if (!facts.ownWorktree || !isFree(facts)) return "";
  if (isWalled(facts)) return " You may commit there.";
  return facts.sandbox === "off"
    ? " Run git add and git commit on their own command line, without tests or other programs."
    : "";
}

function others(facts: PermissionFacts): string {
  switch (facts.asks) {
    case "user":
      return "For every other call the user is asked.";
    case "lead":
      return "For every other call your team lead's user is asked, which takes time.";
    case "none":
      return `Every other call is refused: no user is available to give permission.${noPrograms(facts)}${noCommit(facts)}`;
    case undefined:
      return "Every other call needs permission.";
  }
}

/** Said once here, because otherwise a test, a check of a task and a check of a landing are refused one by one. */
function noPrograms(facts: PermissionFacts): string {
  const { allow, sandbox, forWorkers } = facts;
  if (isWalled(facts)) return forWorkers ? "" : " Checks of tasks and of landings run in the sandbox, too.";
  if (sandbox === "blocked") return "";
  const changes =
    facts.mode !== "default" || facts.ownWorktree || allow.some(({ text }) => /^(?:Edit|Write)\b/.test(text));
  const files = changes ? "" : "files cannot be changed, and ";
  return ` So ${files}tests, builds and other programs${allow.length === 0 ? "" : " that no rule allows"} cannot run, also not as a check of a task or of a landing: say in your answer what was not checked. The user can allow them with --allowedTools.`;
}

/** Said before the work is given out: what is made in a shared folder stays uncommitted. */
const noCommit = ({ mode, allow, ownWorktree, sandbox }: PermissionFacts): string =>
  mode !== "acceptEdits" ||
  ownWorktree ||
  sandbox === "blocked" ||
  allow.some(({ text }) => /^Bash(?:$|\(git(?: commit)?\b)/.test(text))
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
