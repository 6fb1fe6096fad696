import { escapeSenders } from "../escape-markup.ts";
import { type Workplace, workplace } from "./workplace.ts";

export interface EnvironmentFacts {
  readonly cwd: string;
  readonly addedDirectories: readonly string[];
  readonly platform: string;
  /** The day the session started, `2026-11-15`. */
  readonly date: string;
  /** Undefined if it is not known: then nothing is said. */
  readonly git?: GitFacts | "no repository" | undefined;
  /** How it shares its folder. Undefined for the lead, which works in the user's own folder. */
  readonly place?: Workplace | undefined;
  /** The line on what it may do without asking. */
  readonly permissions?: string | undefined;
}

export interface GitFacts {
  /** Undefined on a detached head. */
  readonly branch: string | undefined;
  /** Undefined if only the branch was looked up. */
  readonly status?: readonly string[] | undefined;
  readonly moreChanges?: number | undefined;
  readonly commits?: readonly string[] | undefined;
}

/** Where the agent works and what it may do. A session that resumes with other facts gets a new prompt. */
export const environment = (facts: EnvironmentFacts): string =>
  [
    "Environment",
    `- Working directory: ${facts.cwd} (relative paths and all commands start here)`,
    ...facts.addedDirectories.map((path) => `- Additional working directory: ${path}`),
    ...(facts.place ? workplace(facts.place) : []),
    ...(facts.permissions === undefined ? [] : [facts.permissions]),
    `- Platform: ${facts.platform}`,
  ].join("\n");

/** The state when the session began. File names and commit messages are escaped: they cannot open a tag. */
export const startingState = ({ date, git }: EnvironmentFacts): string =>
  ["When this session began", `- Date: ${date}`, ...gitLines(git)].join("\n");

function gitLines(git: EnvironmentFacts["git"]): string[] {
  if (git === undefined) return [];
  if (git === "no repository") return ["- Not in a git repository"];
  const { branch, status, moreChanges = 0, commits = [] } = git;
  const lines = [`- Git branch: ${escapeSenders(branch ?? "none (detached head)")}`];
  const changes = moreChanges > 0 ? [...(status ?? []), `… and ${moreChanges} more`] : status;
  if (changes)
    lines.push(changes.length === 0 ? "- Git status: clean" : `- Git status:\n${indent(changes.map(escapeSenders))}`);
  if (commits.length > 0) lines.push(`- Recent commits:\n${indent(commits.map(escapeSenders))}`);
  return lines;
}

const indent = (lines: readonly string[]) => lines.map((line) => `    ${line}`).join("\n");
