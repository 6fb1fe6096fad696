import { escapeSenders } from "../escape-markup.ts";

/** The result of a call that a hook blocked, or that was blocked because a guarding hook failed. */
export const deniedByHook = (reason: string): string =>
  `Not run: a hook blocked this call. ${reason}\nDo what it says, or continue without the call. Do not try to get the same effect another way.`;

/** The reason if a hook changed the input to something that the tool does not accept. */
export const invalidRewrite = (problem: string): string =>
  `It changed the input, and the new input is invalid. ${problem}`;

/** Feedback of a hook on a call, added to its result. */
export const hookFeedback = (text: string): string => `<hook-feedback>\n${escapeSenders(text)}\n</hook-feedback>`;

/** Context that a hook adds to the user's prompt. */
export const hookContext = (event: string, text: string): string =>
  `<hook-context event="${event}">\n${escapeSenders(text)}\n</hook-context>`;

/** Sends an agent back to work after it has stopped. */
export const sentBackByHook = (reason: string): string =>
  `You stopped, but a hook of the user says that the work is not done. Continue:\n${hookFeedback(reason)}`;
