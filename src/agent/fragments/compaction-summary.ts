/** Asks the model for a summary when its conversation is too long. */
export const summaryRequest = (instructions: string | undefined): string =>
  [
    "Your conversation is about to be shortened. The summary you write now replaces everything above, and you continue from it alone.",
    "Write it for yourself. Keep, in this order:",
    "1. What the user asked for, in their own terms, with every constraint and preference they stated.",
    "2. What has been done so far, and how it was checked.",
    "3. The state now: files read or changed (with paths), commands that matter and what they printed, decisions and why, names and ids you will need again.",
    "4. What is open: the step you are in the middle of, the next steps, and known problems.",
    "Be exact about paths, identifiers and error texts. Leave out what no longer matters. Answer with the summary only, and call no tool.",
    ...(instructions ? [`The user also asks for this: ${instructions}`] : []),
  ].join("\n");

/** Presents the summary to the model after the compaction. */
export const summaryOpening = (summary: string): string =>
  `<conversation-summary>\nThe conversation before this point was long and has been replaced by this summary.\n\n${summary}\n</conversation-summary>`;
