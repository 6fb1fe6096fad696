import { escapeSenders } from "../escape-markup.ts";

/**
 * The result of every call in the answer that a fork starts after. It is the same in each fork, so that all forks share
 * a prefix.
 */
export const forkPlaceholder = "Passed to a fork of this conversation. The fork continues below.";

/** Identifies a fork, even if its origin is lost. */
export const forkMarker = "<fork-instructions>";

/** Precedes the summary of a fork's conversation, which no longer holds the original instructions. */
export const forkReminder = `${forkMarker}You are a fork: a copy of another agent that carries out one task and reports to that agent. Start no agents.</fork-instructions>`;

export interface ForkTask {
  readonly prompt: string;
  /** The fork's folder, if it is not its parent's. */
  readonly worktree?: { readonly path: string; readonly parentCwd: string } | undefined;
}

/** The task of a fork: the only part of its first request that differs from other forks. */
export function forkInstructions({ prompt, worktree }: ForkTask): string {
  return [
    forkMarker,
    "From here on you are a fork: a copy of the agent above that carries out one task and reports to that agent. Use the conversation so far as knowledge. Do not continue it.",
    "- Do the task below yourself, and start no agents for it. Do not talk to the user: only the agent above reads what you write.",
    "- Stay within the task. End with a report that is complete in itself: what you did or found, with paths and line numbers, what you ran and its result, and what is left.",
    ...(worktree
      ? [
          `- You work in your own worktree, ${escapeSenders(worktree.path)}. Paths above belong to ${escapeSenders(worktree.parentCwd)}: use the same path below your own folder instead, and read a file again before you edit it.`,
          "- Commit your work there: only commits count, and your branch is landed later. Name it in your report.",
        ]
      : [
          "- You share the folder with the agent above, and perhaps with other forks that work now. A test may fail because of their unfinished work. Touch only the files of your task, and commit only if it says so.",
        ]),
    "</fork-instructions>",
    "",
    prompt,
  ].join("\n");
}
