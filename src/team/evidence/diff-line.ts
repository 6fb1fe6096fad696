import { TroupeError } from "../../protocol/index.ts";
import { diffStat } from "./diff-stat.ts";
import { diffText } from "./evidence-text.ts";
import type { RepositoryContext } from "../worktree/repository.ts";

/** The changes of a worktree against its base, in one line for a model. If git fails, the line says so. */
export async function diffLine(
  place: RepositoryContext,
  worktree: { readonly path: string; readonly base: string },
): Promise<string> {
  try {
    return diffText(await diffStat(place, worktree));
  } catch (error) {
    if (!TroupeError.is(error)) throw error;
    return `diff: unknown (${error.message})`;
  }
}
