import { randomUUID } from "node:crypto";
import { publish, parseMessage } from "../../store/nats/index.ts";
import { followJob } from "./job-feed.ts";
import { startHeartbeat, listenForHeartbeat } from "./job-heartbeat.ts";
import { readRevision, type JobRevision, writeRevision } from "./job-journal.ts";
import { JobOrder, type JobState } from "./job.ts";
import type { WorkPorts } from "./nats-work-bus.ts";
import type { ClaimedJob } from "./claim-jobs.ts";
import type { HeldJob, JobRunner } from "./work-bus.ts";
import { holderBeatSubject, jobStream, jobSubjects, leadBeatSubject, liveSubject } from "./work-subjects.ts";

/**
 * Runs a claimed job and keeps the claim: sends heartbeats and checks that the journal still ends with our record. If
 * it does not, another worker has the job and its offer, so this one no longer answers the offer: even a late
 * acknowledgement would count.
 */
export async function holdJob(
  { spec, revision: first }: ClaimedJob,
  ports: WorkPorts,
  work: JobRunner,
): Promise<JobEnd> {
  const { bus, clock, patience } = ports;
  const subjects = jobSubjects(spec.id);
  const lost = new AbortController();
  const orphaned = new AbortController();
  const over = new AbortController();
  const forever = { ...patience, waitMs: Number.POSITIVE_INFINITY, signal: lost.signal };
  let revision = first;
  let writing: Promise<unknown> = Promise.resolve();
  /** The job is completed or released: nothing more may be written. */
  let isOver = false;
  let isWanted = true;

  /** Writes one change after another, each based on the last. */
  const write = (change: (state: JobState) => JobState): Promise<boolean> => {
    const written = writing.then(async () => {
      if (lost.signal.aborted || isOver) return false;
      const state = change(revision.state);
      const next = await writeRevision(bus, { job: spec.id, state, after: revision.seq }, forever);
      if (next === "conflict") return isStillOurs(await readRevision(bus, spec.id, forever));
      revision = next;
      isOver = state.status !== "held";
      isWanted = state.status !== "returned";
      return true;
    });
    writing = written.catch(() => undefined);
    return written;
  };

  const isStillOurs = (now: JobRevision | undefined): boolean => {
    if (now?.seq === revision.seq) return true;
    isWanted = now !== undefined && now.state.status !== "withdrawn";
    lost.abort(new DOMException(lossReason(now?.state), "AbortError"));
    return false;
  };

  const stopBeating = startHeartbeat(bus, holderBeatSubject(spec.id), spec.leaseMs / 5);
  const lead = listenForHeartbeat(ports, leadBeatSubject(spec.id), { everyMs: spec.leaseMs / 5 });
  /** Runs in turn with the writes, so that it compares with the last written record. */
  const checkOwnership = () => {
    const checked = writing.then(async () => {
      if (!lost.signal.aborted && !isOver) isStillOurs(await readRevision(bus, spec.id, forever));
    });
    writing = checked.catch(() => undefined);
    return checked;
  };
  const watchOwnership = async () => {
    while (!over.signal.aborted && !lost.signal.aborted) {
      await clock.sleep(spec.leaseMs / 5, over.signal).catch(() => undefined);
      if (over.signal.aborted) return;
      await checkOwnership();
      if (lead.silentMs() > (spec.leadWaitMs ?? orphanMs)) orphaned.abort();
    }
  };
  const watching = watchOwnership().catch((error: unknown) => {
    if (!lost.signal.aborted) work.onProblem(error);
    lost.abort(error);
  });

  const job: HeldJob = {
    spec,
    state: first.state,
    lost: lost.signal,
    orphaned: orphaned.signal,
    maxBytes: bus.maxPayload() - 1024,
    async *orders(signal) {
      const until = AbortSignal.any([signal, lost.signal]);
      for await (const message of followJob({ bus, clock, waitMs: patience.waitMs }, subjects.orders, until)) {
        const order = JobOrder.safeParse(parseMessage(message));
        if (order.success) yield order.data;
      }
    },
    async report(report) {
      const payload = JSON.stringify(report);
      await publish(bus, { stream: jobStream, subject: subjects.reports, payload, id: randomUUID() }, forever);
    },
    publishLive(envelopes) {
      const payload = JSON.stringify(envelopes);
      if (bus.isConnected() && payload.length * 2 < bus.maxPayload())
        bus.connection.publish(liveSubject(spec.id), payload);
    },
    async note(patch) {
      await write((state) => ({ ...state, ...patch }));
    },
    release: async () => void (await write((state) => ({ ...state, status: "asked" }))),
    complete: (outcome) => write((state) => ({ ...state, status: "returned", outcome })),
  };
  try {
    await work.run(job);
    if (!isWanted) return "over";
    return isOver ? "released" : "lost";
  } finally {
    over.abort();
    stopBeating();
    lead.end();
    if (bus.isConnected()) await watching;
  }
}

/** `released`: other workers can claim it at once. */
export type JobEnd = "over" | "released" | "lost";

function lossReason(state: JobState | undefined): string {
  if (state === undefined || state.status === "withdrawn") return "the session no longer wants it";
  return `${state.worker ?? "another worker"} has it now`;
}

/** Default time without contact with the lead's session after which the job counts as orphaned. */
const orphanMs = 60_000;
