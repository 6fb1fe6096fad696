import { join } from "node:path";
import { createConversation, createRecorder } from "../../agent/index.ts";
import type { AgentReport } from "../../agent/index.ts";
import { type AgentDefinition, type AgentId, TroupeError } from "../../protocol/index.ts";
import { type JobSpec, type SubmittedJob, workLabel } from "../../store/index.ts";
import {
  type SubagentRuntime,
  importCommits,
  bundleSource,
  type RuntimeRequest,
  type RepositoryContext,
} from "../../team/index.ts";
import type { SessionResources } from "../agent-runtime/agent-runtime.ts";
import { createRemoteAgent, type RemoteAgent, type RemoteAgentOptions } from "./remote-agent.ts";
import type { RemoteWork } from "./remote-work.ts";

export interface OpenedRemoteRuntime {
  readonly runtime: SubagentRuntime;
  readonly agent: RemoteAgent;
  /** Makes a branch of what came back. */
  finish(): Promise<AgentReport["worktree"]>;
}

export interface RemotePorts {
  readonly work: RemoteWork;
  readonly place: RepositoryContext;
}

/** Seats an agent that a worker on another machine will run. */
export async function openRemoteRuntime(
  request: RuntimeRequest,
  shared: SessionResources,
  ports: RemotePorts,
): Promise<OpenedRemoteRuntime> {
  const { work, place } = ports;
  const { parts } = shared;
  const definition = portableDefinition(request.definition);
  const source = await bundleSource(place);
  const labels = request.definition.labels ?? [];
  for (const label of labels)
    if (!workLabel.test(label))
      throw new TroupeError(
        "agent",
        `${JSON.stringify(label)} is no label of workers: small letters, digits, - and _.`,
      );
  const bus = await work.bus();
  const matchingWorkers = (await bus.workers()).filter((worker) =>
    labels.every((label) => worker.labels.includes(label)),
  );
  // Of this session alone: an object that is put a second time is not there for a moment.
  const object = `head-${source.head}-${parts.opened.sessionId}`;
  const { budget } = shared.ledger;
  return openJobRuntime(request, shared, {
    ...ports,
    notices: [
      ...source.notices,
      ...(matchingWorkers.length > 0 ? [] : [`No worker${withLabels(labels)} is there yet: it waits for one.`]),
    ],
    base: async () => source.head,
    async submit(prompts) {
      await work.putOnce(object, source.bundle);
      return bus.submit({
        id: jobIdOf(request.agentId),
        agent: request.agentId,
        path: request.path,
        description: request.path,
        definition,
        model: request.model,
        mode: request.mode,
        deny: parts.rules.deny.map(({ text }) => text),
        said: prompts,
        labels,
        leaseMs: work.leaseMs,
        leadWaitMs: work.leadWaitMs,
        ...budget,
        isBudgeted: budget.maxBudgetUsd !== undefined || budget.maxTokens !== undefined,
        source: { object, head: source.head },
        author: source.author,
      } satisfies JobSpec);
    },
  });
}

/** Seats one that an earlier life of the session has given to a worker, which may be at work on it, or have finished. */
export function resumeRemoteRuntime(
  request: RuntimeRequest,
  shared: SessionResources,
  ports: RemotePorts,
): Promise<OpenedRemoteRuntime> {
  const { work } = ports;
  const { clock } = shared.parts;
  let found: Promise<SubmittedJob | undefined> | undefined;
  /** Undefined: the bus is away. It comes back, or does not: then the next life of the session asks again. */
  const find = async (signal: AbortSignal): Promise<SubmittedJob | undefined> => {
    const startedAt = clock.monotonic();
    for (;;) {
      try {
        const job = await (await work.bus()).find(jobIdOf(request.agentId));
        if (job) return job;
        throw new TroupeError("agent", "Nothing of it is on the bus any more: what it had done is in its log.");
      } catch (error) {
        if (!TroupeError.is(error) || error.code === "agent") throw error;
        if (signal.aborted || clock.monotonic() - startedAt > work.workerWaitMs) return undefined;
        await clock.sleep(retryMs, signal).catch(() => undefined);
      }
    }
  };
  return openJobRuntime(request, shared, {
    ...ports,
    notices: [],
    isAtWork: true,
    async base() {
      const spec = await (await found)?.spec();
      if (!spec) throw new TroupeError("agent", "What it had begun from is not on the bus any more.");
      return spec.source.head;
    },
    submit: (_, signal) => (found ??= find(signal)),
  });
}

/** An agent elsewhere does one thing, so that its job can be named after it, and found again by whoever knows its log. */
const jobIdOf = (agent: AgentId): string => agent.replace(/^agt_/, "job_");

const retryMs = 1000;

interface JobRuntimeOptions extends RemotePorts {
  readonly notices: readonly string[];
  readonly isAtWork?: boolean;
  /** The commit that it began from. */
  base(): Promise<string>;
  readonly submit: RemoteAgentOptions["submit"];
}

async function openJobRuntime(
  request: RuntimeRequest,
  shared: SessionResources,
  seating: JobRuntimeOptions,
): Promise<OpenedRemoteRuntime> {
  const { clock, createId, opened } = shared.parts;
  const { work } = seating;
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
  const agent = createRemoteAgent({
    path: request.path,
    agent: request.agentId,
    conversation,
    sink: log,
    recorder,
    shared,
    clock,
    createId,
    known: new Set(log.replayed.map(({ id }) => id)),
    ...work,
    submit: seating.submit,
  });
  let finished: Promise<AgentReport["worktree"]> | undefined;
  const runtime: SubagentRuntime = {
    agent,
    conversation,
    replayed: log.replayed,
    isAtWork: seating.isAtWork,
    continuesRemotely: () => agent.isLeft,
    notices: seating.notices,
    async begin(spawned) {
      await recorder.record({ type: "agent.spawned", ...spawned });
    },
    resume: () => Promise.reject(new Error(`${request.path} is not taken up again`)),
    stopLeftovers: async () => undefined,
    settled: async () => undefined,
    async close() {
      await agent.close();
      try {
        if (!agent.isLeft) await agent.forget();
      } catch (error) {
        if (!TroupeError.is(error)) throw error;
        const message = `Its job is still on the bus, and goes from there after a week: ${error.message}`;
        await recorder.record({ type: "notice.raised", level: "warning", code: "remote", message });
      }
      await log.close();
    },
  };
  return { runtime, agent, finish: () => (finished ??= fetchCommits(agent, request, seating)) };
}

async function fetchCommits(
  agent: RemoteAgent,
  request: RuntimeRequest,
  { work, place, base }: JobRuntimeOptions,
): Promise<AgentReport["worktree"]> {
  const branch = `troupe/agent-${request.agentId.slice(-8)}`;
  const commits = agent.state()?.commits;
  if (!commits) return { path: place.cwd, branch, kept: false };
  const { files } = await work.bus();
  const { top, diff } = await work.withFolder(async (folder) => {
    const file = join(folder, "result.bundle");
    const bring = async () => {
      await files.get(commits.object, file);
      return file;
    };
    return importCommits(place, { bring, head: commits.head, base: await base(), branch });
  });
  await files.remove(commits.object);
  return { path: top, branch, kept: true, diff };
}

/** What of a definition goes to another machine: words and names. What would run something there does not. */
export function portableDefinition(definition: AgentDefinition): JobSpec["definition"] {
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

const withLabels = (labels: readonly string[]) => (labels.length === 0 ? "" : ` with the labels ${labels.join(", ")}`);
