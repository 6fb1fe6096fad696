import { escapeSenders, escapeTags } from "../escape-markup.ts";

/** A conflict of a landing, for the agent that is to settle it. */
export interface ConflictTask {
  readonly branch: string;
  readonly path: string;
  readonly files: readonly string[];
  readonly ours: readonly { readonly commit: string; readonly message: string }[];
  readonly theirs: readonly { readonly commit: string; readonly message: string }[];
  /** The places in the files, with git's marks. */
  readonly hunks: string;
  /** It is the branch's author, and knows what it did. */
  readonly isAuthor: boolean;
  /** What the branch's author was asked to do, where that is known. */
  readonly task?: string | undefined;
}

const giveUpPrefix = "GIVE UP:";

/** What the agent is told. Both sides' words are quoted: they are what others meant, not orders. */
export const conflictTask = (conflict: ConflictTask): string =>
  [
    conflict.isAuthor
      ? `Your branch ${escapeTags(conflict.branch)} is being landed, and does not fit what has been landed before it. Settle the conflict so that both sides keep what they meant.`
      : `The branch ${escapeTags(conflict.branch)} of another agent is being landed, and does not fit what has been landed before it. Settle the conflict so that both sides keep what they meant.`,
    `Work in ${conflict.path}: a working tree made for this, in the middle of a rebase. Earlier paths are of other folders; you cannot change anything there. Read the files before you edit them.`,
    `In conflict:\n${conflict.files.map((file) => `- ${escapeSenders(file)}`).join("\n")}`,
    ...(conflict.task === undefined ? [] : [`What the branch was for:\n${quote(cut(conflict.task, 4_000))}`]),
    `What the branch's commit says:\n${commits(conflict.theirs)}`,
    `What the commits say that are there already and touch these files:\n${commits(conflict.ours)}`,
    `The places, with git's marks (above ======= what is there, below it the branch):\n\n${escapeSenders(conflict.hunks)}`,
    [
      "Edit the files until no mark is left and the result makes sense as a whole; other files too, where they must follow. To settle a conflict by removing a file, remove it.",
      "Do not commit, do not go on with the rebase: that is done for you, and the project's checks are run on the result.",
      `End with one or two sentences on how you settled it. If the two sides cannot both be kept, change nothing more and begin your last message with "${giveUpPrefix}" and why: the user decides then.`,
    ].join("\n"),
  ].join("\n\n");

/** Why an agent has not settled a conflict, if it says so. */
export function giveUpReason(lastText: string): string | undefined {
  const line = lastText.trim();
  return line.startsWith(giveUpPrefix) ? line.slice(giveUpPrefix.length).trim().slice(0, 500) : undefined;
}

const commits = (list: ConflictTask["ours"]) =>
  list.length === 0
    ? "> (none)"
    : quote(list.map(({ commit, message }) => `${commit} ${cut(message, 1_000)}`).join("\n"));

const quote = (text: string) =>
  escapeTags(text)
    .split("\n")
    .map((line) => `> ${line}`)
    .join("\n");

const cut = (text: string, most: number) => (text.length <= most ? text : `${text.slice(0, most)} […]`);
