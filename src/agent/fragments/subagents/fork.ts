import { escapeMarkup } from "../escape-markup.ts";

/** Stands as the result of every call in the answer that a fork begins after: the same in each fork, so that they share a prefix. */
export const forkPlaceholder = "Handed to a fork of this conversation, which goes on below.";

/** By this a fork is known, also when where it came from has been lost. */
export const forkMarker = "<fork-instructions>";

/** Goes before the summary of a fork's conversation, in which its instructions are no longer as they were said. */
export const forkReminder = `${forkMarker}You are a fork: a copy of another agent that carries out one task and reports to it. Start no agents.</fork-instructions>`;

export interface ForkTask {
  readonly prompt: string;
  /** Where the fork works, if not where its parent does. */
  readonly worktree?: { readonly path: string; readonly parentCwd: string } | undefined;
}

/** What a fork is told to do; the only part of its first request that is its own. */
export function forkInstructions({ prompt, worktree }: ForkTask): string {
  return [
    forkMarker,
    "From here on you are a fork: a copy of the agent above that carries out one task and reports to it. The conversation so far is yours to know, not to continue.",
    "- Do the task below yourself and start no agent for it. Do not talk to the user; nobody but the agent above reads what you write.",
    "- Stay within the task. End with a report that stands on its own: what you did or found, with paths and line numbers, what you ran and what came out, what is left.",
    ...(worktree
      ? [
          `- You work in a worktree of your own, ${escapeMarkup(worktree.path)}. Paths above belong to ${escapeMarkup(worktree.parentCwd)}: use the same path below your own folder instead, and read a file again before you edit it.`,
        ]
      : []),
    "</fork-instructions>",
    "",
    prompt,
  ].join("\n");
}
