import { TroupeError } from "../../protocol/index.ts";
import { diffStat } from "./diff-stat.ts";
import { diffText } from "./evidence-text.ts";
import type { RepositoryContext } from "../worktree/repository.ts";

/** What a worktree has that its base has not, in one line for a model. Where git cannot tell, the line says so. */
export async function diffLine(
  place: RepositoryContext,
  worktree: { readonly path: string; readonly base: string },
): Promise<string> {
  try {
    return diffText(await diffStat(place, worktree));
  } catch (error) {
    if (!TroupeError.is(error)) throw error;
    return `diff: not known (${error.message})`;
  }
}
