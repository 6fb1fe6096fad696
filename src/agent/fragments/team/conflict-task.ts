import { cutAfter } from "../../../protocol/index.ts";
import { escapeSenders } from "../escape-markup.ts";

/** A merge conflict of a landing, for the agent that resolves it. */
export interface ConflictTask {
  readonly branch: string;
  readonly path: string;
  readonly files: readonly string[];
  readonly ours: readonly { readonly commit: string; readonly message: string }[];
  readonly theirs: readonly { readonly commit: string; readonly message: string }[];
  /** The conflicting parts of the files, with git's conflict markers. */
  readonly hunks: string;
  /** True if the agent wrote the branch and knows what it did. */
  readonly isAuthor: boolean;
  /** The task of the branch's author, if it is known. */
  readonly task?: string | undefined;
}

const giveUpPrefix = "GIVE UP:";

/** The task for the agent. Text of both sides is quoted: it shows what others meant and gives no orders. */
export const conflictTask = (conflict: ConflictTask): string =>
  [
    conflict.isAuthor
      ? `Your branch ${escapeSenders(conflict.branch)} is being landed and conflicts with what was landed before it. Resolve the conflict so that both sides keep what they meant.`
      : `The branch ${escapeSenders(conflict.branch)} of another agent is being landed and conflicts with what was landed before it. Resolve the conflict so that both sides keep what they meant.`,
    `Work in ${conflict.path}: a working tree made for this, in the middle of a rebase. Paths that you know from before are in other folders; you cannot change anything there. Read the files before you edit them.`,
    `In conflict:\n${conflict.files.map((file) => `- ${escapeSenders(file)}`).join("\n")}`,
    ...(conflict.task === undefined
      ? []
      : [`The task of the branch:\n${quote(cutAfter(conflict.task, 4_000, " […]"))}`]),
    `The commit of the branch:\n${commits(conflict.theirs)}`,
    `Commits that were landed before and touch these files:\n${commits(conflict.ours)}`,
    `The conflicts, with git's markers (above ======= the landed code, below it the branch):\n\n${escapeSenders(conflict.hunks)}`,
    [
      "Edit the files until no marker is left and the result makes sense as a whole. Change other files too where they must follow. To resolve a conflict by removing a file, remove it.",
      "Do not commit, and do not continue the rebase: that is done for you. If the landing has a check, it runs on the result.",
      `End with one or two sentences on how you resolved it. If both sides cannot be kept, change nothing more and begin your last message with "${giveUpPrefix}" and the reason: then the user decides.`,
    ].join("\n"),
  ].join("\n\n");

/** Tells the agent that said it was done which markers it left. */
export const leftMarkersTask = (places: readonly string[]): string =>
  `The conflict is not resolved: git's conflict markers are still in these places:\n${places
    .slice(0, 20)
    .map((place) => `- ${escapeSenders(place)}`)
    .join("\n")}\nRemove them as described before, or begin your last message with "${giveUpPrefix}" and the reason.`;

/** Returns the agent's reason if it says that it did not resolve the conflict. */
export function giveUpReason(lastText: string): string | undefined {
  const line = lastText.trim();
  return line.startsWith(giveUpPrefix) ? line.slice(giveUpPrefix.length).trim().slice(0, 500) : undefined;
}

const commits = (list: ConflictTask["ours"]) =>
  list.length === 0
    ? "> (none)"
    : quote(list.map(({ commit, message }) => `${commit} ${cutAfter(message, 1_000, " […]")}`).join("\n"));

const quote = (text: string) =>
  escapeSenders(text)
    .split("\n")
    .map((line) => `> ${line}`)
    .join("\n");
