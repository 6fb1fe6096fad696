export interface SummaryRequest {
  /** True if the newest turns stay as they are. */
  readonly keepsNewest: boolean;
  readonly instructions: string | undefined;
  /** Why an earlier summary was refused. */
  readonly refused?: string | undefined;
}

/** Asks the model for a summary when its conversation is too long. */
export const summaryRequest = ({ keepsNewest, instructions, refused }: SummaryRequest): string =>
  [
    ...(refused === undefined ? [] : [`Your last answer was refused as a summary: ${refused}. Write it again.`]),
    keepsNewest
      ? "Your conversation is about to be shortened. The summary you write now replaces everything above. Your newest calls and their results are not shown here: they follow the summary unchanged. So the step you are in may be done by then: write that you began it, not that it is open."
      : "Your conversation is about to be shortened. The summary you write now replaces everything above, and you continue from it.",
    "The messages that gave you your work stay beside it word for word. Write the summary for yourself. Keep, in this order:",
    "1. What was asked for, with every constraint and preference.",
    "2. What has been done so far, and how it was checked.",
    "3. The state now: files read or changed (with paths), commands that matter and what they printed, decisions and why, names and ids you will need again.",
    "4. What is open: the next steps, and known problems.",
    "Be exact about paths, identifiers and error texts. Leave out what no longer matters. Answer with the summary only, and call no tool.",
    ...(instructions ? [`The user also asks for this: ${instructions}`] : []),
  ].join("\n");

export interface CompactedConversation {
  readonly summary: string;
  /** Text of the runtime that comes before the summary. */
  readonly kept?: string | undefined;
  readonly keepsNewest: boolean;
}

/** Presents the summary to the model after the compaction. */
export const summaryOpening = ({ summary, kept, keepsNewest }: CompactedConversation): string =>
  [
    `<conversation-summary>\nThe conversation before this point was long and has been replaced by this summary.${keepsNewest ? " Your newest calls and their results follow it unchanged." : ""}`,
    ...(kept === undefined ? [] : [kept]),
    `${summary}\n</conversation-summary>`,
  ].join("\n\n");
