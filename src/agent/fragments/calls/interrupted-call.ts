/** Stands where an answer would have stood that the user cut off. */
export const interruptedAnswer =
  "[The user interrupted before your answer was complete. Nothing of it was carried out.]";

/** The result of a call that was running when it was aborted. */
export const interruptedCall =
  "Interrupted by the user while it ran. It may have had part of its effect: check before you repeat it.";

/** The result of a call that was still waiting for its turn. */
export const callNotStarted = "Not run: the user interrupted before this call was started.";

/** The result of a call that was running when the program itself ended. */
export const unknownOutcome =
  "Unknown outcome: the program ended while this call ran. It may or may not have had its effect, and it has not been repeated. Check the state before you go on.";

/** The result of a call that was not yet running when the program itself ended. */
export const callLostBeforeStart =
  "Not run: the program ended before this call was started. Repeat it if it is still needed.";

/** The result of a call in an answer that was cut at the output limit. */
export const truncatedCall =
  "Not run: your answer reached the output limit, so this call may be incomplete. Repeat it, in smaller pieces if it is large.";
