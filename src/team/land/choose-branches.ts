import { TroupeError } from "../../protocol/index.ts";
import { nearestName } from "../../platform/index.ts";
import type { Repository } from "../worktree/repository.ts";

export interface ChosenBranch {
  readonly branch: string;
  readonly tip: string;
}

/** Resolves the named branches, in order. Checks all of them before anything changes. */
export async function chooseBranches(
  repository: Repository,
  { names, target }: { readonly names: readonly string[]; readonly target: string },
): Promise<{ branches: ChosenBranch[]; notices: string[] }> {
  const branches: ChosenBranch[] = [];
  const notices: string[] = [];
  for (const name of names) {
    const branch = name.replace(/^refs\/heads\//, "");
    if (branches.some((other) => other.branch === branch))
      throw new TroupeError("usage", `branch ${branch} is named twice. Name each branch once.`);
    if (`refs/heads/${branch}` === target) {
      throw new TroupeError(
        "usage",
        `cannot land ${branch}: it is the current branch. Name the branches to land on it.`,
      );
    }
    const found = await repository.git([
      "rev-parse",
      "--verify",
      "--quiet",
      "--end-of-options",
      `refs/heads/${branch}^{commit}`,
    ]);
    if (!found.ok) throw await unknownBranch(repository, branch);
    branches.push({ branch, tip: found.stdout.trim() });
    notices.push(...(await uncommitted(repository, branch)));
  }
  return { branches, notices };
}

async function unknownBranch(repository: Repository, branch: string): Promise<TroupeError> {
  const all = (await repository.ask(["for-each-ref", "--format=%(refname:short)", "refs/heads"])).split("\n");
  const nearest = nearestName(branch, all);
  return new TroupeError(
    "usage",
    `branch ${branch} does not exist${nearest === undefined ? "" : `; did you mean ${nearest}?`}`,
  );
}

async function uncommitted(repository: Repository, branch: string): Promise<string[]> {
  const path = await repository.ask(["for-each-ref", "--format=%(worktreepath)", `refs/heads/${branch}`]);
  if (path === "") return [];
  const status = await repository.git(["status", "--porcelain", "-z", "--no-renames", "--ignore-submodules=dirty"], {
    cwd: path,
  });
  const count = status.stdout.split("\0").filter(Boolean).length;
  return count === 0
    ? []
    : [
        `${path} has ${count} uncommitted change${count === 1 ? "" : "s"} on ${branch}, which do not land. Have its agent commit them, then land the branch again`,
      ];
}
