import { type Clock, writeFileAtomic } from "../../platform/index.ts";
import type { AnswerPart, ModelAnswer, ModelCaller, ModelFailure, ToolCallPart } from "../../protocol/index.ts";
import type { Answer, Script } from "./script.ts";

/** One run being written down as a script: shared by every model of the session. */
export interface Recording {
  /** Resolves when the file has it, or never will: what went wrong is thrown by `finish`. */
  add(entry: RecordedAnswer): Promise<void>;
  /** Throws the `TroupeError` of the last write that failed. */
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
  /** Replays the time each answer took, too. */
  readonly keepDelays?: boolean;
  /** Never to be found in the file, whatever a model may have repeated. */
  readonly secrets?: readonly string[];
}

/** The file is replaced as a whole after every answer, so that it can be played whenever the run ends, however it ends. */
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

  /** One write at a time; answers that come meanwhile share the next one. */
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

/** The short form where it says the same, so that a recording can be read and mended by hand. */
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
