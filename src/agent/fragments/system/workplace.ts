import { cutAfter } from "../../../protocol/index.ts";
import { escapeSenders } from "../escape-markup.ts";
import type { IgnoredFiles } from "../worktree.ts";

/** How an agent shares its folder with others, and how its work reaches them. */
export type Workplace =
  | { readonly kind: "worktree"; readonly worktree: WorktreePlace; readonly canChange: boolean }
  | {
      readonly kind: "shared";
      /** The agent whose folder it is. */
      readonly owner: string;
      readonly canChange: boolean;
    };

export interface WorktreePlace {
  /** Empty if it is on no branch. */
  readonly branch: string;
  /** The checkout that it was made from. */
  readonly checkout: string;
  /** The branch that its work lands on. */
  readonly baseBranch?: string | undefined;
  /** The ignored files that it has. Undefined: not known. */
  readonly ignored?: IgnoredFiles | undefined;
}

/** Tells an agent where it works, whether it commits, and when others see its files. */
export function workplace(place: Workplace): string[] {
  if (place.kind === "worktree") return worktreeLines(place.worktree, place.canChange);
  return place.canChange
    ? [
        `- You share this folder with ${place.owner}, and perhaps with others who work now. They see your changes at once, and you see theirs: a test may fail because of their unfinished work. Touch only the files of your task. Commit only if your task says so.`,
      ]
    : [`- You share this folder with ${place.owner}, and perhaps with others who change it while you read.`];
}

function worktreeLines(worktree: WorktreePlace, canChange: boolean): string[] {
  const { branch, checkout, baseBranch, ignored } = worktree;
  const on = branch === "" ? "" : ` on the branch ${escapeSenders(branch)}`;
  const lines = [
    `- Your folder is your own git worktree${on}, made from ${escapeSenders(checkout)}. A path below ${escapeSenders(checkout)} that you are given means the same path below your folder: use that one.`,
  ];
  if (!canChange) return lines;
  const target = baseBranch === undefined ? "" : ` on ${escapeSenders(baseBranch)}`;
  lines.push(
    `- Commit your work in your worktree: only commits count, and that branch is landed${target} later. Until then others do not see your files, and you do not see theirs. Name the branch in your report.`,
  );
  return ignored === undefined ? lines : [...lines, ignoredLine(ignored)];
}

function ignoredLine({ copied, linked, setup }: IgnoredFiles): string {
  const have = [
    ...copied.map((path) => `${path} (a copy)`),
    ...linked.map((path) => `${path} (shared with the checkout)`),
  ];
  const shown = `${have.slice(0, 8).join(", ")}${have.length > 8 ? ", …" : ""}`;
  const ignored =
    have.length === 0 ? "no ignored files of the checkout" : `of the ignored files ${escapeSenders(shown)}`;
  const made =
    setup === undefined ? "" : `, and what the setup command made (${escapeSenders(cutAfter(setup, 100, "…"))})`;
  return `- It has the files that git tracks, and ${ignored}${made}.`;
}
