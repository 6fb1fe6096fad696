import { type AgentId, type StoredEnvelope, TroupeError } from "../../protocol/index.ts";
import type { Checkpoint } from "./checkpoint-journal.ts";
import type { FolderStates } from "./folder-states.ts";
import { statesAt } from "./plan-rewind.ts";
import { rewindPoints } from "./rewind-points.ts";

/** Which changes are shown: of the whole session by default, of one prompt, or of one agent. */
export interface DiffRequest {
  /** The id of the prompt. The changes end where the next prompt begins. */
  readonly prompt?: string | undefined;
  /** The id, path or name of the agent. */
  readonly agent?: string | undefined;
  /** A table of files instead of a patch. */
  readonly stat?: boolean | undefined;
}

export interface DiffFacts {
  readonly lead: readonly StoredEnvelope[];
  readonly agents: ReadonlyMap<AgentId, readonly StoredEnvelope[]>;
  readonly checkpoints: readonly Checkpoint[];
  readonly states: FolderStates;
  /** True if changes after the last checkpoint count. */
  readonly untilNow: boolean;
}

/** Returns the changes as text; empty if there are none. */
export async function diffSession(request: DiffRequest, facts: DiffFacts): Promise<string> {
  const { checkpoints, states } = facts;
  const agent = request.agent === undefined ? undefined : findAgent(request.agent, facts);
  const folders = [...new Set(checkpoints.map(({ folder }) => folder))];
  const parts: string[] = [];
  for (const folder of folders) {
    const here = checkpoints.filter((each) => each.folder === folder);
    const range = request.prompt === undefined ? wholeRange(here) : promptRange(request.prompt, folder, facts);
    if (!range) continue;
    const snapshots = states.of(folder);
    const to = range.to ?? (facts.untilNow ? await snapshots.take() : here.at(-1)?.tree);
    if (to === undefined) continue;
    const only = agent && (await pathsOf(agent, here, (from, until) => snapshots.changes(from, until)));
    const text = await snapshots.diff(range.from, to, { stat: request.stat, paths: only });
    if (text !== "") parts.push(folders.length > 1 ? `# ${folder}\n${text}` : text);
  }
  return parts.join("\n");
}

interface Range {
  readonly from: string;
  /** Undefined: until the end. */
  readonly to: string | undefined;
}

const wholeRange = ([first]: readonly Checkpoint[]): Range | undefined => first && { from: first.tree, to: undefined };

function promptRange(id: string, folder: string, { lead, checkpoints }: DiffFacts): Range | undefined {
  const prompts = rewindPoints(lead).filter(({ kind }) => kind === "prompt");
  const at = prompts.findIndex((point) => point.id === id);
  const [point, next] = [prompts[at], prompts[at + 1]];
  if (!point)
    throw new TroupeError(
      "usage",
      `there is no prompt ${id}. 'troupe sessions rewind ID' lists the prompts of a session.`,
    );
  const treeAt = (moment: typeof point) =>
    statesAt(moment, { log: lead, checkpoints }).find((state) => state.folder === folder)?.tree;
  const from = treeAt(point);
  return from === undefined ? undefined : { from, to: next && treeAt(next) };
}

/** The files that differ between the state before and the state after a turn of the agent. */
async function pathsOf(
  agent: AgentId,
  here: readonly Checkpoint[],
  changes: (from: string, to: string) => Promise<readonly { readonly path: string }[]>,
): Promise<string[]> {
  const paths = new Set<string>();
  for (const [at, { kind, agent: owner, tree }] of here.entries()) {
    const before = here[at - 1];
    if (kind !== "turn" || owner !== agent || !before) continue;
    for (const { path } of await changes(before.tree, tree)) paths.add(path);
  }
  return [...paths];
}

function findAgent(name: string, { lead, agents }: DiffFacts): AgentId {
  for (const log of [lead, ...agents.values()]) {
    const [first] = log;
    const spawned = log.find(({ event }) => event.type === "agent.spawned")?.event;
    const path = spawned?.type === "agent.spawned" ? spawned.path : "";
    if (first && (first.agent === name || path === name || path.endsWith(`/${name}`))) return first.agent;
  }
  throw new TroupeError(
    "usage",
    `there is no agent ${name} in this session. 'troupe sessions show ID' lists its agents.`,
  );
}
