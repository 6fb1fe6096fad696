/** What is asked of the model when its conversation has become too long. */
export const summaryRequest = (instructions: string | undefined): string =>
  [
    "Your conversation is about to be shortened: everything above will be replaced by the summary you write now, and you will go on working from it alone.",
    "Write it for yourself. Keep, in this order:",
    "1. What the user asked for, in their own terms, with every constraint and preference they stated.",
    "2. What has been done so far, and how it was checked.",
    "3. The state now: files read or changed (with paths), commands that matter and what they printed, decisions and why, names and ids you will need again.",
    "4. What is open: the step you were in the middle of, the next ones, and known problems.",
    "Be exact about paths, identifiers and error texts; leave out what no longer matters. Answer with the summary only, and call no tool.",
    ...(instructions ? [`The user asks for this as well: ${instructions}`] : []),
  ].join("\n");

/** How the summary is put before the model afterwards. */
export const summaryOpening = (summary: string): string =>
  `<conversation-summary>\nThe conversation before this point was long and has been replaced by this summary of it.\n\n${summary}\n</conversation-summary>`;
