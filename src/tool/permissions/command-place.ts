import type { CommandPlace, PermissionMode } from "../../protocol/index.ts";
import type { ShellLine } from "../shell/shell-line.ts";
import { changesFreely } from "./workspace.ts";

/** The walls that commands can have. Undefined where the user turned the sandbox off. */
export interface CommandWalls {
  /** False if there should be a sandbox, but it cannot be used here. */
  readonly isReady: boolean;
  /** True if no command runs outside. */
  readonly required: boolean;
  /** Commands that must run outside, as the words that they begin with. */
  readonly outside: readonly string[];
}

export interface PlacedLine {
  readonly walls: CommandWalls | undefined;
  readonly mode: PermissionMode;
  /** True if the agent works in a worktree that was made for it. */
  readonly ownWorktree: boolean;
  /** The call asks to run outside. */
  readonly asksOutside: boolean;
  readonly source: string;
  readonly line: ShellLine;
}

/** Where each kind of verdict lets a command run. */
export interface CommandPlaces {
  /** True if the command runs behind walls that make a question needless. */
  readonly isWalled: boolean;
  /** True if a command that rules allow runs behind walls: they hold it, whatever its words hide. */
  readonly keepsRuled: boolean;
  /** True if only a person may let it run, whatever the rules allow: it would leave the walls. */
  readonly needsPerson: boolean;
  /** Where a command runs that only looks. */
  readonly look: CommandPlace;
  /** Where a command runs that the mode or walls allow. */
  readonly work: CommandPlace;
  /** Where a command runs that these rules allow. */
  byRules(rules: readonly string[]): CommandPlace;
  /** Where a command runs after the yes of a person. */
  readonly afterYes: CommandPlace;
}

/** Returns where a command line runs. Without the yes of a person it never leaves the walls, if there are any. */
export function placesOf(placed: PlacedLine): CommandPlaces {
  const { walls, mode, ownWorktree, asksOutside } = placed;
  const isReady = walls?.isReady === true;
  const isListed = isReady && !walls.required && isListedOutside(placed, walls.outside);
  const worksAlone = changesFreely({ mode, ownWorktree });
  const inside: CommandPlace = { walls: "work", git: true };
  const open: CommandPlace = { walls: "open" };
  const staysInside = isReady && (walls.required || (worksAlone && !asksOutside && !isListed));
  return {
    isWalled: isReady && worksAlone && !asksOutside && !isListed,
    keepsRuled: isReady && !isListed,
    needsPerson: isReady && asksOutside && !isListed,
    look: { walls: "look" },
    work: { walls: "work" },
    byRules: (rules) => (isListed ? open : { walls: "work", git: rules.some(namesGit) }),
    afterYes: staysInside ? inside : open,
  };
}

/** A rule for git, or for all commands, also lets git write the repository's data. */
const namesGit = (rule: string) => /^(allow )?(Bash|\*)(\(git\b|\(\*\)|\(:\*\)|$)/.test(rule);

/** Letters, digits and a few signs, or quoted text that the shell takes as it is. Nothing in it is expanded. */
const plain = /^(?:[\w@+:,./ -]|=|'[^'\n]*'|"[^"$`\\!\n]*")+$/;

/** True if the line is one command of plain words, without redirections. It does not depend on the parser alone. */
export function isPlainLine(source: string, { commands, redirects, unsafeReasons }: ShellLine): boolean {
  const [only] = commands;
  if (!plain.test(source.trim()) || unsafeReasons.length > 0 || redirects.length > 0) return false;
  if (commands.length !== 1 || only === undefined || only.assigns || only.redirects.length > 0) return false;
  return only.words.every(({ kind }) => kind === "literal");
}

function isListedOutside({ source, line }: PlacedLine, outside: readonly string[]): boolean {
  if (outside.length === 0 || !isPlainLine(source, line)) return false;
  const words = line.commands[0]?.words.map(({ value }) => value) ?? [];
  return outside.some((text) => text.split(/\s+/).every((word, at) => words[at] === word));
}

/** Commands that run without a question where no sandbox is available. They are compared word by word. */
const fixedCommands = new Set([
  "pwd",
  "ls",
  "ls -l",
  "ls -a",
  "ls -la",
  "ls -al",
  "date",
  "whoami",
  "uname -a",
  "git status",
  "git status --short",
  "git status -s",
  "git branch",
  "git branch --show-current",
  "git log --oneline",
  "git diff --stat",
  "git --version",
  "node --version",
  "npm --version",
]);

export const isFixedCommand = (source: string) => fixedCommands.has(source.trim().replace(/[ \t]+/g, " "));
