import { nearestName } from "../../platform/index.ts";
import { type Command, type StoredEnvelope, TroupeError } from "../../protocol/index.ts";
import type { Checkpoint } from "./checkpoint-journal.ts";
import { type RewindPoint, rewindPoints } from "./rewind-points.ts";

export type RewindRequest = Pick<Extract<Command, { type: "rewind" }>, "to" | "what">;

/** The work of a rewind. */
export interface RewindPlan {
  readonly point: RewindPoint;
  /** Undefined if the conversation stays. */
  readonly to: number | undefined;
  readonly files: readonly FolderState[];
}

export interface FolderState {
  readonly folder: string;
  readonly tree: string;
}

/** Finds the moment in the log and the state of each folder then. Rejects an unknown moment with `usage`. */
export function planRewind(
  { to: id, what = "both" }: RewindRequest,
  facts: { readonly log: readonly StoredEnvelope[]; readonly checkpoints: readonly Checkpoint[] },
): RewindPlan {
  const points = rewindPoints(facts.log);
  const point = points.find((each) => each.id === id);
  if (!point) throw noPoint(id, points);
  return {
    point,
    to: what === "files" ? undefined : point.seq,
    files: what === "conversation" ? [] : statesAt(point, facts),
  };
}

function noPoint(id: string, points: readonly RewindPoint[]): TroupeError {
  const near = nearestName(
    id,
    points.map((each) => each.id),
  );
  const hint = near === undefined ? "" : ` Did you mean ${near}?`;
  const message = `cannot rewind to ${id}: the session has no such prompt.${hint} 'troupe sessions rewind ID' lists them.`;
  return new TroupeError("usage", message);
}

/** The state of each folder that was in use at a moment. A folder without a later state has not changed since. */
export function statesAt(
  point: Pick<RewindPoint, "id" | "kind" | "at">,
  facts: { readonly log: readonly StoredEnvelope[]; readonly checkpoints: readonly Checkpoint[] },
): FolderState[] {
  const { log, checkpoints } = facts;
  if (point.kind === "rewind") {
    const event = log.find((envelope) => envelope.id === point.id)?.event;
    return event?.type === "agent.rewound"
      ? (event.files ?? []).map(({ folder, before }) => ({ folder, tree: before }))
      : [];
  }
  const own = log[0]?.agent;
  const folders = new Set(
    checkpoints
      .filter(({ at, promptId, agent }) => at <= point.at || promptId === point.id || agent === own)
      .map(({ folder }) => folder),
  );
  return [...folders].flatMap((folder) => {
    const here = checkpoints.filter((each) => each.folder === folder);
    const found = here.find(({ promptId }) => promptId === point.id) ?? here.find(({ at }) => at >= point.at);
    return found ? [{ folder, tree: found.tree }] : [];
  });
}
