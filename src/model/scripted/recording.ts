import { type Clock, writeFileAtomic } from "../../platform/index.ts";
import type { AnswerPart, ModelAnswer, ModelCaller, ModelFailure, ToolCallPart } from "../../protocol/index.ts";
import type { Answer, Script } from "./script.ts";

/** A recording of one run as a script, shared by every model of the session. */
export interface Recording {
  /** Resolves when the entry is in the file or its write has failed. `finish` throws the error. */
  add(entry: RecordedAnswer): Promise<void>;
  /** Throws the `TroupeError` of the last failed write. */
  finish(): Promise<void>;
}

interface RecordedAnswer {
  readonly caller: ModelCaller;
  readonly model: string;
  readonly durationMs: number;
  readonly end: ModelAnswer | ModelFailure;
}

export interface RecordingOptions {
  readonly clock: Clock;
  /** Also replays the time that each answer took. */
  readonly keepDelays?: boolean;
  /** Values that must never appear in the file, even if a model repeated them. */
  readonly secrets?: readonly string[];
}

/** Replaces the whole file after every answer, so that it is playable no matter how the run ends. */
export function openRecording(file: string, options: RecordingOptions): Recording {
  const models: Record<string, string> = {};
  const agents: Record<string, { steps: Answer[] }> = {};
  const recorded = { at: new Date(options.clock.now()).toISOString(), models };
  let writing: Promise<void> | undefined;
  let waiting: Promise<void> | undefined;
  let failure: unknown;

  return {
    add({ caller, model, durationMs, end }) {
      models[caller.agentPath] = model;
      const list = (agents[caller.agentPath] ??= { steps: [] });
      list.steps.push({ ...stepFrom(end), ...(options.keepDelays && { delayMs: Math.round(durationMs) }) });
      return save();
    },
    async finish() {
      await save();
      if (failure !== undefined) throw failure;
    },
  };

  /** Runs one write at a time. Answers that arrive during a write share the next one. */
  function save(): Promise<void> {
    if (!writing) return (writing = write());
    waiting ??= writing.then(() => {
      waiting = undefined;
      return (writing = write());
    });
    return waiting;
  }

  async function write(): Promise<void> {
    const script: Script = { version: 1, recorded, templates: false, agents };
    try {
      await writeFileAtomic(file, `${JSON.stringify(withoutSecrets(script, options.secrets ?? []), null, 2)}\n`);
      failure = undefined;
    } catch (error) {
      failure = error;
    } finally {
      if (!waiting) writing = undefined;
    }
  }
}

function stepFrom(end: ModelAnswer | ModelFailure): Answer {
  if ("parts" in end) return { ...partsFrom(end.parts), stop: end.stopReason, usage: end.usage };
  const { kind, message, status, retryAfterMs } = end;
  if (kind === "aborted") throw new Error("an aborted request has no answer to record");
  return { fault: { kind, message, status, retryAfterMs, times: "turn" } };
}

/** Uses the short form where it is equivalent, so that a recording is easy to read and edit. */
function partsFrom(parts: readonly AnswerPart[]): Answer {
  const [text, ...more] = parts.filter((part) => part.type === "text");
  const calls = parts.filter((part) => part.type === "tool_call");
  const plain = more.length === 0 && parts.length === calls.length + (text ? 1 : 0) && (!text || parts[0] === text);
  if (!plain) return { parts: parts.map(partFrom) };
  return {
    ...(text && { text: text.text }),
    ...((calls.length > 0 || !text) && { calls: calls.map(callFrom) }),
  };
}

function partFrom(part: AnswerPart): NonNullable<Answer["parts"]>[number] {
  if (part.type === "text") return { text: part.text };
  if (part.type === "tool_call") return callFrom(part);
  const { text: thinking, signature, redacted } = part;
  return { thinking, ...(signature && { signature }), ...(redacted && { redacted }) };
}

const callFrom = ({ name, input, callId }: ToolCallPart) => ({ tool: name, input, id: callId });

function withoutSecrets(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === "string")
    return secrets.reduce((text, secret) => (secret ? text.replaceAll(secret, "[secret]") : text), value);
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, secrets));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withoutSecrets(item, secrets)]));
}
