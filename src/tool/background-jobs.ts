import { open } from "node:fs/promises";
import { type Clock, type CreateId, createRedactStream } from "../platform/index.ts";
import type { AgentId, BackgroundId, Event } from "../protocol/index.ts";
import { openCappedFile } from "./output/capped-file.ts";
import { cleanText } from "./output/clean-text.ts";
import { createLiveText } from "./output/live-text.ts";

/** The running and finished background work of one agent: commands, and agents that it has started. */
export interface BackgroundJobs {
  start(work: BackgroundWork): Promise<BackgroundJob>;
  get(id: string): BackgroundJob | undefined;
  list(): readonly BackgroundJob[];
  /** Ends all that runs, and starts no more. */
  stopAll(): Promise<void>;
}

/**
 * `run` gives its output to `write`, which never blocks and never throws. It settles when the work has ended and must
 * end soon after `signal` aborts.
 */
export interface BackgroundWork {
  readonly kind: "shell" | "agent";
  /** The agent that works there, if one does. */
  readonly agent?: AgentId | undefined;
  readonly description: string;
  /** It was started in an earlier life of the session, and has not ended: it is the same task. */
  readonly resumedId?: BackgroundId | undefined;
  /** How far it is, in a line, while it runs. */
  progress?(): string | undefined;
  run(job: BackgroundRun): Promise<BackgroundEnd>;
}

export interface BackgroundRun {
  readonly id: BackgroundId;
  readonly signal: AbortSignal;
  readonly write: (chunk: Uint8Array) => void;
}

export interface BackgroundEnd {
  readonly status: "completed" | "failed" | "killed";
  readonly exitCode: number | null;
  /** It has not ended, and is not here any more: nobody is told of an end. */
  readonly continuesRemotely?: boolean | undefined;
  /** What whoever started it is told, where there is more to say than how it ended. Nobody who waits for the end waits for this. */
  readonly report?: (() => Promise<string>) | undefined;
}

export interface BackgroundJob {
  readonly id: BackgroundId;
  readonly kind: BackgroundWork["kind"];
  readonly agent?: AgentId | undefined;
  readonly description: string;
  readonly outputFile: string;
  readonly startedAt: number;
  /** How far it is, in a line, where that is known. */
  progress(): string | undefined;
  /** Undefined while it runs. */
  readonly ended: BackgroundEnd | undefined;
  /** Resolves when it has ended; never rejects. */
  readonly done: Promise<BackgroundEnd>;
  /** Resolves when it has ended and whoever started it has been told, or could not be; never rejects. */
  stop(): Promise<BackgroundEnd>;
  /** What was written since the last call, the last `limitBytes` of it; `skippedBytes` came before that. */
  takeOutput(limitBytes: number): Promise<{ text: string; skippedBytes: number }>;
}

export type BackgroundEvent = Extract<Event, { type: "background.started" | "background.ended" | "background.output" }>;

export interface BackgroundJobsOptions {
  readonly createId: CreateId;
  readonly clock: Clock;
  outputFile(id: BackgroundId): Promise<string> | string;
  /**
   * `background.started` is awaited before the work starts; "again" where it is in the log already. `report` comes with
   * `background.ended`, if there is one.
   */
  onEvent(event: BackgroundEvent, report?: string): Promise<void> | void;
  /** Whoever started the work could not be told of its end. */
  onUnreported(error: unknown): Promise<void> | void;
  /** The output file grows no further than this; the rest is counted and dropped. */
  readonly fileLimitBytes?: number;
  /** Secrets that are to be kept out of outputs although nothing about them looks like one. */
  readonly secrets?: readonly string[] | undefined;
}

export function createBackgroundJobs(options: BackgroundJobsOptions): BackgroundJobs {
  const jobs = new Map<string, BackgroundJob>();
  let closed = false;
  return {
    get: (id) => jobs.get(id),
    list: () => [...jobs.values()],
    async start(work) {
      if (closed) throw new Error("The session is ending: nothing new can be started in the background.");
      const job = await startJob(work, options);
      jobs.set(job.id, job);
      if (closed) await job.stop();
      return job;
    },
    async stopAll() {
      closed = true;
      await Promise.all([...jobs.values()].map((job) => job.stop()));
    },
  };
}

async function startJob(work: BackgroundWork, options: BackgroundJobsOptions): Promise<BackgroundJob> {
  const id = work.resumedId ?? options.createId<BackgroundId>("bg");
  const outputFile = await options.outputFile(id);
  const file = openCappedFile(outputFile, options.fileLimitBytes ?? 64 * 1024 * 1024);
  const { kind, description } = work;
  const agent = work.agent && { agent: work.agent };
  try {
    const started = { type: "background.started", backgroundId: id, kind, ...agent, description, outputFile } as const;
    await options.onEvent(started, work.resumedId && "again");
  } catch (error) {
    file.close();
    throw error;
  }

  const abort = new AbortController();
  const redact = createRedactStream(options.secrets);
  const live = createLiveText(
    (text) => void options.onEvent({ type: "background.output", backgroundId: id, text }),
    options,
  );
  let ended: BackgroundEnd | undefined;
  let position = 0;

  let markDone: (end: BackgroundEnd) => void = () => undefined;
  const done = new Promise<BackgroundEnd>((resolve) => (markDone = resolve));

  const run = async (): Promise<BackgroundEnd> => {
    const write = (chunk: Uint8Array) => {
      file.write(redact.push(chunk));
      live.add(chunk);
    };
    const end = await settle(work, { id, signal: abort.signal, write });
    live.flush();
    file.write(redact.flush());
    file.close();
    ended = end;
    markDone(end);
    if (end.continuesRemotely) return end;
    const { status, exitCode, report } = end;
    try {
      await options.onEvent({ type: "background.ended", backgroundId: id, status, exitCode }, await report?.());
    } catch (error) {
      await options.onUnreported(error);
    }
    return end;
  };
  const told = run();

  return {
    id,
    kind,
    ...agent,
    description,
    outputFile,
    startedAt: options.clock.now(),
    progress: () => (ended ? undefined : work.progress?.()),
    get ended() {
      return ended;
    },
    done,
    stop() {
      abort.abort();
      return told;
    },
    async takeOutput(limitBytes) {
      const from = position;
      if (!ended) file.write(redact.flush());
      position = file.size();
      const start = Math.max(from, position - limitBytes);
      return { text: await readRange(outputFile, start, position), skippedBytes: start - from };
    },
  };
}

/** A throw of the work is its failure; the words go where its output goes. */
async function settle(work: BackgroundWork, run: BackgroundRun): Promise<BackgroundEnd> {
  try {
    return await work.run(run);
  } catch (error) {
    run.write(Buffer.from(`\n${error instanceof Error ? error.message : String(error)}\n`));
    return { status: run.signal.aborted ? "killed" : "failed", exitCode: null };
  }
}

async function readRange(path: string, start: number, end: number): Promise<string> {
  const handle = await open(path, "r");
  try {
    const buffer = Buffer.alloc(end - start);
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, start);
    return cleanText(buffer.subarray(0, bytesRead).toString("utf8"));
  } finally {
    await handle.close();
  }
}
