import { randomUUID } from "node:crypto";
import * as z from "zod";
import { Envelope, TroupeError } from "../../protocol/index.ts";
import { requestWithRetry, publish, parseMessage } from "../../store/nats/index.ts";
import { onHeartbeat, startHeartbeat } from "./job-heartbeat.ts";
import { followJob } from "./job-feed.ts";
import { readSpec, readRevision, writeRevision } from "./job-journal.ts";
import { JobOrder, JobReport, type JobSpec, JobState } from "./job.ts";
import type { WorkPorts } from "./nats-work-bus.ts";
import type { JobNews, SubmittedJob } from "./work-bus.ts";
import {
  holderBeatSubject,
  jobStream,
  jobSubjects,
  leadBeatSubject,
  queueNameOf,
  queueStream,
  queueSubject,
  liveSubject,
} from "./work-subjects.ts";

/** Puts a job on the bus and sends heartbeats for it until it is forgotten. */
export async function submitJob(spec: JobSpec, ports: WorkPorts): Promise<SubmittedJob> {
  const { bus, patience, ensureQueue: ensureLine } = ports;
  const subjects = jobSubjects(spec.id);
  const payload = JSON.stringify(spec);
  if (payload.length > bus.maxPayload() / 2)
    throw new TroupeError(
      "agent",
      "The agent's prompt is too long for the bus. Put it into a file and commit the file.",
    );
  const queue = queueNameOf(spec.labels);
  await ensureLine(queue);
  await publish(bus, { stream: jobStream, subject: subjects.spec, payload, id: `${spec.id}.spec` }, patience);
  const first = await writeRevision(
    bus,
    { job: spec.id, state: { status: "asked", generation: 0 }, after: 0 },
    patience,
  );
  if (first === "conflict") throw new Error(`${spec.id} is already on the bus`);
  // Offered last, so that a worker finds the whole job.
  await offer(spec, ports);
  return followSubmitted(spec.id, ports);
}

async function offer({ id, labels }: JobSpec, { bus, patience }: WorkPorts): Promise<void> {
  const subject = queueSubject(queueNameOf(labels));
  await publish(bus, { stream: queueStream, subject, payload: JSON.stringify({ job: id }), id }, patience);
}

/** Continues a job that is already on the bus. Undefined if nothing of it exists. */
export async function findJob(id: string, ports: WorkPorts): Promise<SubmittedJob | undefined> {
  const { bus, patience } = ports;
  const revision = await readRevision(bus, id, patience);
  const spec = await readSpec(bus, id, patience);
  if (revision === undefined || spec === undefined) return undefined;
  // The submitter may have died before the offer. A job that is offered twice is still claimed once.
  if (revision.state.status === "asked") await offer(spec, ports);
  return followSubmitted(id, ports);
}

function followSubmitted(id: string, { bus, clock, patience }: WorkPorts): SubmittedJob {
  const subjects = jobSubjects(id);
  const stopBeating = startHeartbeat(bus, leadBeatSubject(id), beatMs);
  /**
   * Returns the sequence number of the current last message. The server's own count of pending messages is not always
   * right.
   */
  const lastOf = async (signal: AbortSignal): Promise<number> => {
    const last_by_subj = subjects.all;
    const find = () => bus.jsm.streams.getMessage(jobStream, { last_by_subj });
    try {
      return (await requestWithRetry(bus, find, { ...patience, waitMs: Number.POSITIVE_INFINITY, signal }))?.seq ?? 0;
    } catch (error) {
      if (signal.aborted) return 0;
      throw error;
    }
  };

  return {
    async *news(signal) {
      let generation = 0;
      let number = 0;
      const there = await lastOf(signal);
      for await (const message of followJob({ bus, clock, waitMs: patience.waitMs }, subjects.all, signal)) {
        const said = parseMessage(message);
        let news: JobNews | undefined;
        if (message.subject === subjects.journal) {
          const state = JobState.safeParse(said);
          if (state.success && state.data.generation >= generation) {
            if (state.data.generation > generation) number = 0;
            generation = state.data.generation;
            news = { kind: "state", state: state.data };
          }
        } else if (message.subject === subjects.reports) {
          const report = JobReport.safeParse(said);
          // Skips reports of a worker that lost the job, and repeated reports.
          if (report.success && report.data.generation === generation && report.data.number > number) {
            number = report.data.number;
            news = { kind: "report", report: report.data };
          }
        } else if (message.subject === subjects.orders) {
          const order = JobOrder.safeParse(said);
          if (order.success) news = { kind: "order", order: order.data };
        }
        if (news) yield news;
        if (message.seq >= there) yield { kind: "caught up" };
      }
    },
    onBeat: (listener) => onHeartbeat(bus, holderBeatSubject(id), listener),
    onLive(listener) {
      const subscription = bus.connection.subscribe(liveSubject(id), {
        callback: (error, message) => {
          const shown = error === null ? z.array(Envelope).safeParse(message.json()) : undefined;
          if (shown?.success) shown.data.forEach(listener);
        },
      });
      return () => subscription.unsubscribe();
    },
    spec: () => readSpec(bus, id, patience),
    state: async () => (await readRevision(bus, id, patience))?.state,
    isConnected: bus.isConnected,
    async order(order, signal) {
      const message = { stream: jobStream, subject: subjects.orders, payload: JSON.stringify(order), id: randomUUID() };
      await publish(bus, message, signal ? { ...patience, waitMs: Number.POSITIVE_INFINITY, signal } : patience);
    },
    async withdraw() {
      for (;;) {
        const revision = await readRevision(bus, id, patience);
        if (revision === undefined || revision.state.status === "withdrawn") return true;
        if (revision.state.status === "returned") return false;
        const state = { ...revision.state, status: "withdrawn" as const };
        const written = await writeRevision(bus, { job: id, state, after: revision.seq }, patience);
        if (written !== "conflict") return true;
      }
    },
    leave: stopBeating,
    async forget() {
      stopBeating();
      await requestWithRetry(bus, () => bus.jsm.streams.purge(jobStream, { filter: subjects.all }), patience);
    },
  };
}

const beatMs = 2000;
