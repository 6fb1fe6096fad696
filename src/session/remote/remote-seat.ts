import { join } from "node:path";
import { createConversation, createRecorder } from "../../agent/index.ts";
import type { AgentReport } from "../../agent/index.ts";
import { type AgentDefinition, TroupeError } from "../../protocol/index.ts";
import { type JobSpec, workLabel } from "../../store/index.ts";
import {
  type ChildSeat,
  importCommits,
  type RemoteSource,
  remoteSource,
  type SeatRequest,
  type TeamPlace,
} from "../../team/index.ts";
import type { Shared } from "../seat.ts";
import { createRemoteAgent, type RemoteAgent } from "./remote-agent.ts";
import type { RemoteWork } from "./remote-work.ts";

export interface RemoteSeated {
  readonly seat: ChildSeat;
  /** Makes a branch of what came back. */
  finish(): Promise<AgentReport["worktree"]>;
}

/** Seats an agent that a worker on another machine will run. */
export async function seatRemote(
  request: SeatRequest,
  shared: Shared,
  { work, place }: { readonly work: RemoteWork; readonly place: TeamPlace },
): Promise<RemoteSeated> {
  const { parts } = shared;
  const { clock, createId, opened } = parts;
  const definition = travelling(request.definition);
  const source = await remoteSource(place);
  const labels = request.definition.labels ?? [];
  for (const label of labels)
    if (!workLabel.test(label))
      throw new TroupeError(
        "agent",
        `${JSON.stringify(label)} is no label of workers: small letters, digits, - and _.`,
      );
  const bus = await work.bus();
  const fitting = (await bus.workers()).filter((worker) => labels.every((label) => worker.labels.includes(label)));
  const log = await opened.agentLog(request.agentId);
  const conversation = createConversation();
  for (const { event } of log.replayed) conversation.apply(event);
  const recorder = createRecorder({
    session: opened.sessionId,
    agent: request.agentId,
    sink: log,
    conversation,
    clock,
    createId,
    seq: log.replayed.at(-1)?.seq ?? 0,
    emit(envelope) {
      request.onEnvelope(envelope);
      shared.publish(envelope);
    },
  });
  // Of this session alone: an object that is put a second time is not there for a moment.
  const object = `head-${source.head}-${opened.sessionId}`;
  const agent = createRemoteAgent({
    path: request.path,
    conversation,
    recorder,
    shared,
    clock,
    createId,
    ...work,
    async submit(said) {
      await work.putOnce(object, source.bundle);
      return bus.submit({
        id: createId<string>("job"),
        agent: request.agentId,
        path: request.path,
        description: request.path,
        definition,
        model: request.model,
        mode: request.mode,
        deny: parts.rules.deny.map(({ text }) => text),
        said,
        labels,
        leaseMs: work.leaseMs,
        ...budgetLeft(shared),
        source: { object, head: source.head },
        author: source.author,
      } satisfies JobSpec);
    },
  });
  let finished: Promise<AgentReport["worktree"]> | undefined;
  const seat: ChildSeat = {
    agent,
    conversation,
    replayed: log.replayed,
    notices: [
      ...source.notices,
      ...(fitting.length > 0 ? [] : [`No worker${withLabels(labels)} is there yet: it waits for one.`]),
    ],
    async begin(spawned) {
      await recorder.record({ type: "agent.spawned", ...spawned });
    },
    takeUp: () => Promise.reject(new Error(`${request.path} is not taken up again`)),
    stopLeftovers: async () => undefined,
    settled: async () => undefined,
    async close() {
      await agent.close();
      try {
        await agent.forget();
      } catch (error) {
        if (!TroupeError.is(error)) throw error;
        const message = `Its job is still on the bus, and goes from there after a week: ${error.message}`;
        await recorder.record({ type: "notice.raised", level: "warning", code: "remote", message });
      }
      await log.close();
    },
  };
  return { seat, finish: () => (finished ??= bringBack({ agent, source, request, work, place })) };
}

async function bringBack({
  agent,
  source,
  request,
  work,
  place,
}: {
  agent: RemoteAgent;
  source: RemoteSource;
  request: SeatRequest;
  work: RemoteWork;
  place: TeamPlace;
}): Promise<AgentReport["worktree"]> {
  const branch = `troupe/agent-${request.agentId.slice(-8)}`;
  const commits = agent.state()?.commits;
  if (!commits) return { path: place.cwd, branch, kept: false };
  const { files } = await work.bus();
  const { top, diff } = await work.withFolder(async (folder) => {
    const file = join(folder, "result.bundle");
    await files.get(commits.object, file);
    return importCommits(place, { file, head: commits.head, base: source.head, branch });
  });
  await files.remove(commits.object);
  return { path: top, branch, kept: true, diff };
}

/** What of a definition goes to another machine: words and names. What would run something there does not. */
function travelling(definition: AgentDefinition): JobSpec["definition"] {
  const { name, description, prompt, tools, disallowedTools, maxTurns, hooks, mcpServers, source } = definition;
  if (hooks !== undefined || mcpServers !== undefined)
    throw new TroupeError(
      "agent",
      `${name} has hooks or servers of its own, which do not go to other machines: it cannot be remote.`,
    );
  return {
    name,
    builtIn: source.level === "built-in",
    description,
    prompt,
    ...(tools && { tools }),
    ...(disallowedTools && { disallowedTools }),
    ...(maxTurns !== undefined && { maxTurns }),
  };
}

function budgetLeft({ ledger: { budget, spent } }: Shared): Pick<JobSpec, "maxBudgetUsd" | "maxTokens"> {
  const { maxBudgetUsd, maxTokens } = budget;
  const left = (most: number, used: number, least: number) => Math.max(most - used, least);
  return {
    ...(maxBudgetUsd !== undefined && { maxBudgetUsd: left(maxBudgetUsd, spent.usd, 1e-6) }),
    ...(maxTokens !== undefined && { maxTokens: left(maxTokens, spent.tokens, 1) }),
  };
}

const withLabels = (labels: readonly string[]) => (labels.length === 0 ? "" : ` with the labels ${labels.join(", ")}`);
