import { escapeSenders, escapeTags } from "../escape-markup.ts";

export interface EnvironmentFacts {
  readonly cwd: string;
  readonly addedDirectories: readonly string[];
  readonly platform: string;
  /** The day the session started, `2026-11-15`. */
  readonly date: string;
  readonly git?: GitFacts | undefined;
}

export interface GitFacts {
  /** Undefined on a detached head. */
  readonly branch: string | undefined;
  readonly status: readonly string[];
  readonly moreChanges: number;
  readonly commits: readonly string[];
}

/**
 * The agent's environment at the start of the session. File names and commit messages are escaped: they cannot open a
 * tag.
 */
export function environment(facts: EnvironmentFacts): string {
  const lines = [
    "Environment (at the start of this session)",
    `- Working directory: ${facts.cwd}`,
    ...facts.addedDirectories.map((path) => `- Additional working directory: ${path}`),
    `- Platform: ${facts.platform}`,
    `- Date: ${facts.date}`,
  ];
  if (!facts.git) return [...lines, "- Not in a git repository"].join("\n");
  const { branch, status, moreChanges, commits } = facts.git;
  const changes = moreChanges > 0 ? [...status, `… and ${moreChanges} more`] : status;
  lines.push(`- Git branch: ${escapeTags(branch ?? "none (detached head)")}`);
  lines.push(changes.length === 0 ? "- Git status: clean" : `- Git status:\n${indent(changes.map(escapeSenders))}`);
  if (commits.length > 0) lines.push(`- Recent commits:\n${indent(commits.map(escapeTags))}`);
  return lines.join("\n");
}

const indent = (lines: readonly string[]) => lines.map((line) => `    ${line}`).join("\n");
