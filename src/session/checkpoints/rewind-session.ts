import { existsSync } from "node:fs";
import { type Ack, type AgentId, type StoredEnvelope, type StoredEvent, TroupeError } from "../../protocol/index.ts";
import type { SessionRuntime } from "../session-runtime.ts";
import type { CheckpointJournal } from "./checkpoint-journal.ts";
import type { FolderStates } from "./folder-states.ts";
import { planRewind, type RewindPlan, type RewindRequest } from "./plan-rewind.ts";

export type RewindRecord = Omit<Extract<StoredEvent, { type: "agent.rewound" }>, "type">;

/** Runs the command `rewind` on an open session: stops its agents, then restores. */
export async function rewindSession(request: RewindRequest, runtime: SessionRuntime): Promise<Ack> {
  const { own, subagents, context } = runtime;
  const { checkpoints } = context.ports;
  if (!checkpoints && request.what !== "conversation") throw noFiles();
  await subagents.interruptAll("the user went back to an earlier prompt");
  await own.agent.whileIdle(async () => {
    const log = await context.log.readLead();
    if (!checkpoints) return own.recordRewind(recordOf(planRewind(request, { log, checkpoints: [] }), []));
    await checkpoints.exclusively(async () => {
      await own.recordRewind(await carryOut(request, { log, agent: own.id, ...checkpoints }));
    });
  });
  return { ok: true };
}

interface RewindPorts {
  readonly log: readonly StoredEnvelope[];
  readonly agent: AgentId;
  readonly journal: CheckpointJournal;
  readonly states: FolderStates;
}

/** Restores the files and returns the event to record. The files before it are kept first. */
export async function carryOut(request: RewindRequest, ports: RewindPorts): Promise<RewindRecord> {
  const { log, agent, journal, states } = ports;
  const plan = planRewind(request, { log, checkpoints: await journal.read() });
  const files: NonNullable<RewindRecord["files"]> = [];
  for (const { folder, tree } of plan.files) {
    if (!existsSync(folder)) continue;
    const restored = await states
      .of(folder)
      .restore(tree, (before) => journal.append({ kind: "rewind", agent, folder, tree: before }));
    if (restored.changed === 0) continue;
    await journal.append({ kind: "rewind", agent, folder, tree: restored.after });
    files.push({ folder, ...restored });
  }
  return recordOf(plan, files);
}

function recordOf({ point, to }: RewindPlan, files: NonNullable<RewindRecord["files"]>): RewindRecord {
  const changed = files.reduce((sum, each) => sum + each.changed, 0);
  const what = [
    ...(to === undefined ? [] : ["the conversation"]),
    ...(changed === 0 ? [] : [`${changed} ${changed === 1 ? "file" : "files"}`]),
  ];
  const quoted = point.text.length > 80 ? `${point.text.slice(0, 79)}…` : point.text;
  const when = point.kind === "rewind" ? `before “${quoted}”` : `before the prompt “${quoted}”`;
  const text = `Back to the moment ${when}: ${what.length === 0 ? "no file has changed since" : what.join(" and ")}.`;
  return { point: point.id, ...(to !== undefined && { to }), ...(files.length > 0 && { files }), text };
}

const noFiles = () =>
  new TroupeError(
    "checkpoint",
    "cannot restore files: this session keeps no states of files (setting checkpoints.mode). Rewind only the conversation.",
  );
