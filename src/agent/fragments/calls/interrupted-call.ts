/** Replaces an answer that the user interrupted. */
export const interruptedAnswer = "[The user interrupted before your answer was complete. None of it was carried out.]";

/** The result of a call that was aborted while it ran. */
export const interruptedCall =
  "Interrupted by the user while it ran. It may have had part of its effect: check before you repeat it.";

/** The result of a call that had not started when the user interrupted. */
export const callNotStarted = "Not run: the user interrupted before this call started.";

/** The result of a call that was running when the program ended. */
export const unknownOutcome =
  "Unknown outcome: the program ended while this call ran. It may or may not have had its effect, and it was not repeated. Check the state before you continue.";

/** The same for a call that started an agent: its state follows in a notice. */
export const lostAgentCall =
  "Unknown outcome: the program ended while the agent worked. A notice says how far it came and how it can continue. If there is none, it had not started.";

/** The result of a call that had not started when the program ended. */
export const callLostBeforeStart =
  "Not run: the program ended before this call started. Repeat it if it is still needed.";

/** The result of a call in an answer that was truncated at the output limit. */
export const truncatedCall =
  "Not run: your answer reached the output limit, so this call may be incomplete. Repeat it, in smaller pieces if it is large.";

/** The result of a call that may build on a change of the same answer that failed. */
export const notRunAfterFailedChange = (change: string): string =>
  `Not run: a change before it in the same answer failed (${change}), and this call may build on it. Look at that result, then repeat this call if it is still right.`;
