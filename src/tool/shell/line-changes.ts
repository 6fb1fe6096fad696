import { type ChangeContext, type ChangeRights, namedPaths, refusedReplacement } from "./change-rights.ts";
import { fileCommand, type FileChange } from "./file-commands.ts";
import type { ShellContext } from "./shell-context.ts";
import type { ShellCommand, ShellLine } from "./shell-line.ts";
import type { ShellWord } from "./shell-word.ts";

/** The changes that a line makes to files. */
export interface LineChanges {
  /** The files that it writes. */
  readonly writes: readonly string[];
  /** The paths that hold moved files of others afterwards. */
  readonly foreign: readonly string[];
  /** True if a command of git is among them. */
  readonly git: boolean;
}

export interface ChangeRequest {
  readonly place: ShellContext;
  readonly folders: readonly string[] | undefined;
}

/** Returns undefined if the agent's edits are not accepted without asking. */
function contextOf({ place, folders }: ChangeRequest): ChangeContext | undefined {
  const rights: ChangeRights | undefined = place.changes;
  return rights === undefined || folders === undefined ? undefined : { rights, place, folders };
}

/** Judges a command that changes files. Undefined if it is another command, or edits are not accepted. */
export function commandChange(words: readonly ShellWord[], request: ChangeRequest): FileChange | undefined {
  const context = contextOf(request);
  return context && fileCommand(words, context);
}

/** Returns why output may not go to this file, or the paths that it writes. */
export function outputChange(
  target: ShellWord | undefined,
  request: ChangeRequest,
): { readonly why: string } | { readonly writes: readonly string[] } {
  const context = contextOf(request);
  if (context === undefined || target === undefined) return { why: `it writes to ${target?.text ?? "a file"}` };
  const named = namedPaths(target, context);
  if ("why" in named) return { why: `it writes to ${target.text}: ${named.why}` };
  const why = named.paths.map((path) => refusedReplacement(path, context)).find((each) => each !== undefined);
  if (why !== undefined) return { why };
  return { writes: named.paths };
}

export interface JudgedChange {
  readonly command: ShellCommand;
  readonly change: Exclude<FileChange, { why: string }>;
}

/**
 * Returns why changes that are in order one by one are not in order in one line: a moved folder may bring a link to where
 * another command reads or writes, and commands that a rule allows need the repository's hooks.
 */
export function unsafeLineReason(
  line: ShellLine,
  changes: readonly JudgedChange[],
  ruled: readonly ShellCommand[],
): { readonly why: string; readonly command: ShellCommand } | undefined {
  const git = changes.find(({ change }) => change.git);
  if (git && !ruled.every(isCommit))
    return {
      why: "it runs without asking only in a line without other programs: run the git commands in a separate call",
      command: git.command,
    };
  const redirects = [...line.redirects, ...line.commands.flatMap((command) => command.redirects)];
  const writes = redirects.some(({ effect }) => effect === "write");
  const fixed = changes.find(({ command, change }) => change.foreign.length > 0 || hasPattern(command));
  if (fixed && (writes || ruled.length > 0 || changes.some((other) => other !== fixed && !keepsFiles(other.command)))) {
    const why = hasPattern(fixed.command) ? patternAlone : foreignAlone;
    return { why, command: fixed.command };
  }
  const mover = changes.find(({ change }) => change.moves);
  if (!mover) return undefined;
  const at = line.commands.indexOf(mover.command);
  const isAlone =
    redirects.every(({ effect }) => effect === "none") &&
    line.commands.every((command, index) => command === mover.command || isHarmlessBeside(command, index < at));
  return isAlone ? undefined : { why: moverAlone, command: mover.command };
}

export const isCommit = ({ words: [name, second] }: ShellCommand) =>
  name?.value === "git" && second?.value === "commit";

const hasPattern = ({ words }: ShellCommand) => words.some(({ kind }) => kind === "pattern");

/** True for commands that neither move nor remove nor replace a file. */
const keepsFiles = ({ words: [name, second] }: ShellCommand) =>
  /^(mkdir|touch)$/.test(name?.value ?? "") || (name?.value === "git" && /^(add|commit)$/.test(second?.value ?? ""));

const patternAlone =
  "other commands of the line could change the files that the pattern stands for: run it by itself, or write the names out";
const foreignAlone = "it moves a file that git cannot restore and that you have not written: run it by itself";
const moverAlone =
  "it moves something that is not a plain file now, and that could be or contain a link: run it by itself, with only cd, mkdir or touch before it and git after it";

function isHarmlessBeside({ words }: ShellCommand, isBefore: boolean): boolean {
  const name = words[0]?.value ?? "";
  if (/^(echo|true|pwd|git)$/.test(name)) return true;
  if (isBefore && /^(cd|mkdir|touch)$/.test(name)) return true;
  return words.slice(1).every(({ value }) => value.startsWith("-"));
}
