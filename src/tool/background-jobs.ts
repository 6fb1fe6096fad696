import { open } from "node:fs/promises";
import { type Clock, type CreateId, createRedactStream, sleepUnlessAborted } from "../platform/index.ts";
import { type AgentId, type BackgroundId, type Event, messageOf } from "../protocol/index.ts";
import { openCappedFile } from "./output/capped-file.ts";
import { cleanText, wholeCharacters } from "./output/clean-text.ts";
import { createLiveText } from "./output/live-text.ts";

/** The running and finished background jobs of one agent: commands, and agents that it started. */
export interface BackgroundJobs {
  start(work: BackgroundWork): Promise<BackgroundJob>;
  get(id: string): BackgroundJob | undefined;
  list(): readonly BackgroundJob[];
  /** Stops all running jobs and starts no more. */
  stopAll(): Promise<void>;
}

/**
 * `run` sends its output to `write`, which never blocks and never throws. It settles when the work has ended, and must
 * end soon after `signal` aborts.
 */
export interface BackgroundWork {
  readonly kind: "shell" | "agent";
  /** The agent that does the work, if any. */
  readonly agent?: AgentId | undefined;
  /** The name of that agent. */
  readonly name?: string | undefined;
  readonly description: string;
  /** The id of a job that started in a previous run of the session and has not ended. It stays the same job. */
  readonly again?: BackgroundId | undefined;
  /** One line about the progress, while it runs. */
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
  /** True if the work continues in another process. Its end is not reported here. */
  readonly goesOn?: boolean | undefined;
  /**
   * The text for the agent that started the job, if there is more to say than how it ended. `done` does not wait for
   * it.
   */
  readonly report?: ((stoppedBy: StopAuthor | undefined) => Promise<string>) | undefined;
}

/** `starter`: the agent that started the job. */
export type StopAuthor = "starter" | "user";

export interface BackgroundJob {
  readonly id: BackgroundId;
  readonly kind: BackgroundWork["kind"];
  readonly agent?: AgentId | undefined;
  readonly name?: string | undefined;
  readonly description: string;
  readonly outputFile: string;
  readonly startedAt: number;
  /** One line about the progress, if known. */
  progress(): string | undefined;
  /** Undefined while it runs. */
  readonly ended: BackgroundEnd | undefined;
  /** Resolves when it has ended; never rejects. */
  readonly done: Promise<BackgroundEnd>;
  /** Resolves when it has ended, or after `ms`. Rejects with the reason of the signal when that aborts. */
  waitForEnd(ms: number, signal: AbortSignal): Promise<void>;
  /** Resolves when the job has ended and its starter was notified, or the notification failed. Never rejects. */
  stop(by?: StopAuthor): Promise<BackgroundEnd>;
  /**
   * Returns the output since the last call, at most the last `limitBytes`. `skippedBytes` counts the bytes before that.
   */
  takeOutput(limitBytes: number): Promise<{ text: string; skippedBytes: number }>;
}

export type BackgroundEvent = Extract<Event, { type: "background.started" | "background.ended" | "background.output" }>;

export interface BackgroundEventMore {
  /** The `background.started` of this job is already in the log. */
  readonly isAgain?: boolean;
  /** The job's report, with its `background.ended`. */
  readonly report?: string | undefined;
  /** The last lines of a command's output. */
  readonly tail?: string | undefined;
  /** Undefined if the job ended by itself, or with the session. */
  readonly stoppedBy?: StopAuthor | undefined;
}

export interface BackgroundJobsOptions {
  readonly createId: CreateId;
  readonly clock: Clock;
  outputFile(id: BackgroundId): Promise<string> | string;
  /** `background.started` is awaited before the work starts. */
  onEvent(event: BackgroundEvent, more?: BackgroundEventMore): Promise<void> | void;
  /** Called when the agent that started the job could not be notified of its end. */
  onUnreported(error: unknown): Promise<void> | void;
  /** Maximum size of the output file. More output is counted and dropped. */
  readonly fileLimitBytes?: number;
  /** Secrets to redact from outputs in addition to those found by their form. */
  readonly secrets?: readonly string[] | undefined;
}

export function createBackgroundJobs(options: BackgroundJobsOptions): BackgroundJobs {
  const jobs = new Map<string, BackgroundJob>();
  let closed = false;
  return {
    get: (id) => jobs.get(id),
    list: () => [...jobs.values()],
    async start(work) {
      if (closed) throw new Error("cannot start a background job: the session is ending");
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
  const id = work.again ?? options.createId<BackgroundId>("bg");
  const outputFile = await options.outputFile(id);
  const file = openCappedFile(outputFile, options.fileLimitBytes ?? 64 * 1024 * 1024);
  const { kind, description } = work;
  const agent = work.agent && { agent: work.agent };
  try {
    const started = { type: "background.started", backgroundId: id, kind, ...agent, description, outputFile } as const;
    await options.onEvent(started, { isAgain: work.again !== undefined });
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
  let stopAuthor: StopAuthor | undefined;

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
    if (end.goesOn) return end;
    const { status, exitCode, report } = end;
    const stoppedBy = status === "killed" ? stopAuthor : undefined;
    try {
      const event = { type: "background.ended", backgroundId: id, status, exitCode } as const;
      const tail = kind === "shell" ? await readTail(outputFile, file.size()) : undefined;
      await options.onEvent(event, { report: await report?.(stoppedBy), tail, stoppedBy });
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
    name: work.name,
    description,
    outputFile,
    startedAt: options.clock.now(),
    progress: () => (ended ? undefined : work.progress?.()),
    get ended() {
      return ended;
    },
    done,
    async waitForEnd(ms, signal) {
      signal.throwIfAborted();
      const over = new AbortController();
      await Promise.race([done, sleepUnlessAborted(options.clock, ms, AbortSignal.any([signal, over.signal]))]);
      over.abort();
      signal.throwIfAborted();
    },
    stop(by) {
      if (!abort.signal.aborted) stopAuthor = by;
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

/** An error thrown by the work makes the job fail. Its message is added to the output. */
async function settle(work: BackgroundWork, run: BackgroundRun): Promise<BackgroundEnd> {
  try {
    return await work.run(run);
  } catch (error) {
    run.write(Buffer.from(`\n${messageOf(error)}\n`));
    return { status: run.signal.aborted ? "killed" : "failed", exitCode: null };
  }
}

const tailCharacters = 1_000;

/** Returns the last whole lines, or the end of a very long line. */
async function readTail(path: string, size: number): Promise<string> {
  // A character has at most 4 bytes.
  const start = Math.max(0, size - 4 * tailCharacters);
  let text: string;
  try {
    text = (await readRange(path, start, size)).trimEnd();
  } catch (error) {
    return `[the output cannot be read: ${messageOf(error)}]`;
  }
  if (text.length <= tailCharacters && start === 0) return text;
  const end = wholeCharacters(text.slice(-tailCharacters));
  const line = end.indexOf("\n");
  return `[…]\n${line < 0 || line === end.length - 1 ? end : end.slice(line + 1)}`;
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
