import { rm } from "node:fs/promises";
import { type Ledger, remoteConduct, adoptedJobNotice } from "../../agent/index.ts";
import { createGateRegistry } from "../../model/index.ts";
import { systemClock } from "../../platform/index.ts";
import {
  type ContentPart,
  messageOf,
  type PermissionMode,
  type SessionOptions,
  TroupeError,
} from "../../protocol/index.ts";
import type { HeldJob, WorkBus } from "../jobs/work-bus.ts";
import type { JobOutcome, JobSpec } from "../jobs/job.ts";
import type { RepositoryContext } from "../../team/index.ts";
import { type Session, type ProcessShared, startSession } from "../../session/index.ts";
import { createPermissionAnswers, createBudgetAnswers } from "./lead-answers.ts";
import { cloneJob } from "./clone-job.ts";
import { createJobLedger } from "./job-ledger.ts";
import { createCommitPusher } from "./push-commits.ts";
import { createJobReporter } from "./job-reporter.ts";

export interface JobPorts {
  readonly files: WorkBus["files"];
  /** A folder for this job only, removed at its end. */
  readonly folder: string;
  readonly place: Omit<RepositoryContext, "cwd">;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly flags: SessionOptions;
  readonly mode: PermissionMode;
  /** The highest mode of any job without asking. */
  readonly most: PermissionMode;
  /** Aborts when the worker exits: its jobs are released to other workers. */
  readonly leaving: AbortSignal;
  say(line: string): void;
}

/** Runs the agent of one job in its own clone. Returns a short description of the outcome. */
export async function runJob(job: HeldJob, ports: JobPorts): Promise<string> {
  try {
    const outcome = await runAgentJob(job, ports);
    if (job.lost.aborted) return "was lost to another worker";
    if (ports.leaving.aborted) {
      await job.release();
      return "was released to other workers";
    }
    return (await job.complete(outcome)) ? outcome.reason : "was lost to another worker";
  } catch (error) {
    if (job.lost.aborted) return "was lost to another worker";
    const detail = messageOf(error);
    await job.complete({ reason: "failed", detail, turns: 0 });
    if (!TroupeError.is(error)) throw error;
    return `failed: ${detail}`;
  } finally {
    await rm(ports.folder, { recursive: true, force: true });
  }
}

async function runAgentJob(job: HeldJob, ports: JobPorts): Promise<JobOutcome> {
  const { spec, state, lost, orphaned } = job;
  const branch = `troupe/agent-${spec.agent.slice(-8)}`;
  const folder = await cloneJob(job, ports, branch);
  await job.note({ folder });
  const over = new AbortController();
  const answers = createPermissionAnswers(job, () => reporter);
  const budget = createBudgetAnswers(job, () => reporter);
  const pusher = createCommitPusher({ ...ports, job, clone: { folder, base: spec.source.head } });
  const session = await startSession({
    cwd: folder,
    env: ports.env,
    flags: flagsOf(spec, ports),
    asker: answers.ask,
    keep: "none",
    isObservable: false,
    ...(spec.isBudgeted && { shared: jobOwnedShared(createJobLedger(budget.ask)) }),
    teammate: {
      member: {
        agentType: spec.definition.name,
        team: "remote",
        name: spec.path.split("/").at(-1) ?? spec.path,
        path: spec.path,
        prompt: { blocks: [remoteConduct(branch)] },
        env: {},
        mode: ports.mode,
        teamRules: () => [],
      },
    },
  });
  const reporter = createJobReporter(job, { onSettled: pusher.requestPush });
  const reporting = reporter.follow(session.events());
  const stop = () => void session.dispatch({ type: "interrupt" });
  const stopSignal = AbortSignal.any([lost, orphaned, ports.leaving]);
  stopSignal.addEventListener("abort", stop, { once: true });
  const followingOrders = followOrders(job, { session, reporter, answers, budget, signal: over.signal });
  // Both are awaited below. Until then a rejection counts as handled.
  for (const each of [reporting, followingOrders]) each.catch(() => undefined);
  try {
    for (const [index, { promptId, parts }] of spec.said.entries()) {
      const more: ContentPart[] =
        index === 0 && state.commits ? [{ type: "text", text: adoptedJobNotice(spec.source.head) }] : [];
      await say(session, reporter, { promptId, parts: [...parts, ...more] });
    }
    if (stopSignal.aborted) stop();
    const outcome = (await session.settled()) ?? { reason: "completed" as const, turns: 0 };
    await session.close();
    over.abort();
    await followingOrders;
    await reporting;
    if (!lost.aborted) await pusher.finish(`Uncommitted changes of ${spec.path}`);
    return orphaned.aborted
      ? { ...outcome, reason: "interrupted", detail: "the session that submitted it did not respond for a long time" }
      : outcome;
  } finally {
    over.abort();
    stopSignal.removeEventListener("abort", stop);
    await session.close("interrupted");
  }
}

async function say(
  session: Session,
  reporter: ReturnType<typeof createJobReporter>,
  { promptId, parts }: JobSpec["said"][number],
): Promise<void> {
  reporter.expect(promptId);
  const ack = await session.dispatch({ type: "prompt", content: parts });
  if (!ack.ok) throw new TroupeError("agent", ack.message);
}

/** Follows the orders of the session that submitted the job, until `signal` aborts. */
async function followOrders(
  job: HeldJob,
  {
    session,
    reporter,
    answers,
    budget,
    signal,
  }: {
    session: Session;
    reporter: ReturnType<typeof createJobReporter>;
    answers: ReturnType<typeof createPermissionAnswers>;
    budget: ReturnType<typeof createBudgetAnswers>;
    signal: AbortSignal;
  },
): Promise<void> {
  for await (const order of job.orders(signal)) {
    switch (order.kind) {
      case "say":
        await say(session, reporter, order);
        break;
      case "interrupt":
        await session.dispatch({ type: "interrupt" });
        break;
      case "answer":
        answers.answered(order.requestId, order.answer);
        break;
      case "budget":
        budget.answered(order);
        break;
    }
  }
}

/** Resources of a session that shares only its ledger. */
const jobOwnedShared = (ledger: Ledger): ProcessShared => ({
  gates: createGateRegistry(systemClock),
  models: new Map(),
  ledger,
  counted: new Set(),
});

/** The job supplies the definition and limits. This machine's user decides everything else. */
export function flagsOf(spec: JobSpec, { flags, mode }: JobPorts): SessionOptions {
  const { name, builtIn, ...definition } = spec.definition;
  return {
    ...flags,
    model: flags.model ?? spec.model,
    permissionMode: mode,
    disallowedTools: spec.deny,
    maxBudgetUsd: spec.maxBudgetUsd,
    maxTokens: spec.maxTokens,
    ...(!builtIn && { agents: JSON.stringify({ [name]: definition }) }),
  };
}
