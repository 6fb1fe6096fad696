import { escapeMarkup } from "../escape-markup.ts";

/** The result of a call that a hook has blocked, or that was blocked because a hook that guards it failed. */
export const deniedByHook = (reason: string): string =>
  `Not run: a hook blocked this call. ${reason}\nDo what it says, or go on without the call; do not try to get the same effect by another way.`;

/** Why a call is blocked whose input a hook has changed into something the tool cannot take. */
export const invalidRewrite = (problem: string): string =>
  `It changed the input, and the new input is not valid. ${problem}`;

/** What a hook adds to a call's result. */
export const hookFeedback = (text: string): string => `<hook-feedback>\n${escapeMarkup(text)}\n</hook-feedback>`;

/** What a hook adds to what the user says. */
export const hookContext = (event: string, text: string): string =>
  `<hook-context event="${event}">\n${escapeMarkup(text)}\n</hook-context>`;

/** Said to an agent that had stopped and is to go on. */
export const sentBackByHook = (reason: string): string =>
  `You stopped, and a hook of the user's says that the work is not done:\n${hookFeedback(reason)}`;
