import { agentNameOf } from "../model/policy-model.ts";
import type { RunRecord } from "../world/run-scenario.ts";
import { endedWell, type Fault } from "./agent-log.ts";

/** Each agent works in one folder, also after a restart. The result names all work that has not landed, and no other. */
export function checkWorktrees(record: RunRecord): Fault[] {
  return [...strangeFolders(record), ...unnamedBranches(record)];
}

function strangeFolders({ uses, scenario }: RunRecord): Fault[] {
  const folders = new Map<string, string>();
  return uses.flatMap(({ at, agentPath, folder }): Fault[] => {
    const before = folders.get(agentPath) ?? folder;
    folders.set(agentPath, before);
    const name = agentNameOf(agentPath);
    const member = scenario.members.find((each) => each.name === name);
    const isOwn = folder.includes(`.troupe/${name}-`);
    const isWrong = folder !== before || (member !== undefined && member.worktree !== isOwn);
    return isWrong ? [{ rule: "worktree", at, message: `${name} works in ${folder}` }] : [];
  });
}

function unnamedBranches(record: RunRecord): Fault[] {
  if (!endedWell(record)) return [];
  const named = (record.processes.at(-1)?.result?.unlanded_branches ?? []).map(
    ({ branch, commits, uncommitted_files: files }) => lineOf(branch, commits, files),
  );
  const left = record.worktrees.flatMap(({ branch, commits, uncommitted }) =>
    commits > 0 || uncommitted.size > 0 ? [lineOf(branch, commits, uncommitted.size)] : [],
  );
  const wrong = [...left.filter((line) => !named.includes(line)), ...named.filter((line) => !left.includes(line))];
  if (wrong.length === 0) return [];
  const message = `the result names other branches than those with work: ${wrong.join(", ")}`;
  return [{ rule: "worktree", at: record.virtualMs, message }];
}

const lineOf = (branch: string, commits: number, files: number) => `${branch} (${commits} commits, ${files} files)`;
