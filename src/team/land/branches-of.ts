import { worktreeLabel } from "../worktree/create-worktree.ts";
import { openRepository, type RepositoryContext } from "../worktree/repository.ts";

export interface NamedBranches {
  readonly names: readonly string[];
  /** The branch that this agent works on, if it is known. It may have another name than the agent. */
  readonly branchOf?: ((name: string) => Promise<string | undefined>) | undefined;
  /** True for an agent of this name that works in the checkout itself. */
  worksHere(name: string): Promise<boolean>;
}

/**
 * The branches for names from a model, each once: a name of a branch stays, and a name of an agent gives the branch of
 * its worktree, `troupe/NAME-7c1d`. There is a problem for each name that gives no branch to land.
 */
export async function branchesOf(
  place: RepositoryContext,
  { names, branchOf, worksHere }: NamedBranches,
): Promise<{ branches: string[]; problems: string[] }> {
  const repository = await openRepository(place);
  const format = "--format=%(refname:short)";
  const all = (await repository.ask(["for-each-ref", format, "refs/heads"])).split("\n").filter(Boolean);
  const current = (await repository.git(["symbolic-ref", "--quiet", "--short", "HEAD"])).stdout.trim();
  const branches = new Set<string>();
  const problems: string[] = [];
  const unknown: string[] = [];
  for (const name of new Set(names)) {
    const own = all.includes(name) ? name : await branchOf?.(name);
    const [found, ...others] = own !== undefined && all.includes(own) ? [own] : branchesOfAgent(name, all);
    if (others.length > 0)
      problems.push(`${name} has several branches. Name the one to land: ${[found, ...others].join(", ")}.`);
    else if (found === current)
      problems.push(`cannot land ${name}: it is the current branch. Name the branches to land on it.`);
    else if (found !== undefined) branches.add(found);
    else if (await worksHere(name))
      problems.push(
        `${name} has no branch: it works in your folder. Its changes are there already, not committed, and need no landing. Leave ${name} out.`,
      );
    else unknown.push(name);
  }
  if (unknown.length > 0) problems.push(unknownNames(unknown, all));
  return { branches: [...branches], problems };
}

function branchesOfAgent(name: string, all: readonly string[]): readonly string[] {
  const prefix = `troupe/${worktreeLabel(name)}-`;
  return all.filter((branch) => branch.startsWith(prefix) && /^[a-z0-9]{4,12}$/.test(branch.slice(prefix.length)));
}

function unknownNames(names: readonly string[], all: readonly string[]): string {
  const ofAgents = all.filter((branch) => branch.startsWith("troupe/"));
  const known =
    ofAgents.length === 0 ? "There are no branches of agents." : `Branches of agents: ${ofAgents.join(", ")}.`;
  return `there is no branch and no agent with a branch named ${names.join(" or ")}. ${known}`;
}
