import { join } from "node:path";
import { createConversation, createRecorder, currentEvents, type AgentReport } from "../../agent/index.ts";
import { type AgentDefinition, type AgentId, TroupeError } from "../../protocol/index.ts";
import type { JobSpec } from "../jobs/job.ts";
import type { SubmittedJob } from "../jobs/work-bus.ts";
import { workLabel } from "../jobs/work-label.ts";
import type { SubagentRuntime, RuntimeRequest, RepositoryContext } from "../../team/index.ts";
import { importCommits } from "../commits/import-commits.ts";
import { bundleSource } from "../commits/bundle-source.ts";
import type { RemoteSession } from "./remote-session.ts";
import { createRemoteAgent, type RemoteAgent, type RemoteAgentOptions } from "./remote-agent.ts";
import type { RemoteWork } from "./remote-work.ts";

export interface OpenedRemoteRuntime {
  readonly runtime: SubagentRuntime;
  readonly agent: RemoteAgent;
  /** Imports the returned commits as a branch. */
  finish(): Promise<AgentReport["worktree"]>;
}

export interface RemotePorts {
  readonly work: RemoteWork;
  readonly place: RepositoryContext;
}

/** Opens the runtime of a new agent that a worker on another machine will run. */
export async function openRemoteRuntime(
  request: RuntimeRequest,
  shared: RemoteSession,
  ports: RemotePorts,
): Promise<OpenedRemoteRuntime> {
  const { work, place } = ports;
  const { log, extensions, budget: own } = shared.session;
  const definition = portableDefinition(request.definition);
  const source = await bundleSource(place);
  const labels = request.definition.labels ?? [];
  for (const label of labels)
    if (!workLabel.test(label))
      throw new TroupeError(
        "agent",
        `Invalid worker label ${JSON.stringify(label)}. Use lowercase letters, digits, - and _.`,
      );
  const bus = await work.bus();
  const matchingWorkers = (await bus.workers()).filter((worker) =>
    labels.every((label) => worker.labels.includes(label)),
  );
  // The name is unique to this session: an object that is written again is missing for a moment.
  const object = `head-${source.head}-${log.opened.sessionId}`;
  const { budget } = own.ledger;
  return openJobRuntime(request, shared, {
    ...ports,
    notices: [
      ...source.notices,
      ...(matchingWorkers.length > 0
        ? []
        : [`No worker${withLabels(labels)} is available yet. The agent waits for one.`]),
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
        deny: extensions.rules.deny.map(({ text }) => text),
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

/**
 * Reopens the runtime of an agent that a previous run of the session submitted. Its worker may still run it or may have
 * finished.
 */
export function resumeRemoteRuntime(
  request: RuntimeRequest,
  shared: RemoteSession,
  ports: RemotePorts,
): Promise<OpenedRemoteRuntime> {
  const { work } = ports;
  const { clock } = shared.session.ports;
  let found: Promise<SubmittedJob | undefined> | undefined;
  /** Undefined if the bus stays unreachable: then the next run of the session asks again. */
  const find = async (signal: AbortSignal): Promise<SubmittedJob | undefined> => {
    const startedAt = clock.monotonic();
    for (;;) {
      try {
        const job = await (await work.bus()).find(jobIdOf(request.agentId));
        if (job) return job;
        throw new TroupeError("agent", "The bus has no data of this agent any more. Its log has what was received.");
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
      if (!spec) throw new TroupeError("agent", "The base commit of this agent is no longer on the bus.");
      return spec.source.head;
    },
    submit: (_, signal) => (found ??= find(signal)),
  });
}

/** A remote agent runs one job, so the job id follows from the agent id and can be found again from the log. */
const jobIdOf = (agent: AgentId): string => agent.replace(/^agt_/, "job_");

const retryMs = 1000;

interface JobRuntimeOptions extends RemotePorts {
  readonly notices: readonly string[];
  readonly isAtWork?: boolean;
  /** The commit that the agent started from. */
  base(): Promise<string>;
  readonly submit: RemoteAgentOptions["submit"];
}

async function openJobRuntime(
  request: RuntimeRequest,
  shared: RemoteSession,
  seating: JobRuntimeOptions,
): Promise<OpenedRemoteRuntime> {
  const { clock, createId } = shared.session.ports;
  const { opened } = shared.session.log;
  const { work } = seating;
  const log = await opened.agentLog(request.agentId);
  const conversation = createConversation(undefined, (to) => currentEvents(log.replayed, to));
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
    resume: () => Promise.reject(new Error(`${request.path} cannot be resumed`)),
    stopLeftovers: async () => undefined,
    settled: async () => undefined,
    async close() {
      await agent.close();
      try {
        if (!agent.isLeft) await agent.forget();
      } catch (error) {
        if (!TroupeError.is(error)) throw error;
        const message = `The job is still on the bus and expires after a week: ${error.message}`;
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

/**
 * Returns the part of a definition that may go to another machine: text and names, but nothing that runs programs
 * there.
 */
export function portableDefinition(definition: AgentDefinition): JobSpec["definition"] {
  const { name, description, prompt, tools, disallowedTools, maxTurns, hooks, mcpServers, source } = definition;
  if (hooks !== undefined || mcpServers !== undefined)
    throw new TroupeError(
      "agent",
      `Cannot run ${name} remotely: its definition has hooks or MCP servers, which are not sent to other machines.`,
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
