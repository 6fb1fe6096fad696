import { scanLines } from "../platform/index.ts";
import {
  type AgentId,
  protocolVersion,
  type SessionId,
  StoredEnvelope,
  StoredEvent,
  TroupeError,
} from "../protocol/index.ts";
import { lineNumberAt } from "./line-number.ts";

export interface EventLogReading {
  readonly envelopes: StoredEnvelope[];
  /** The offset of a torn record at the end of the file. */
  readonly tornAt?: number;
  readonly notices: string[];
}

export interface LogProblem {
  readonly offset: number;
  readonly reason: string;
}

/** Reads and checks the whole log without changing it. Damage before the end throws `session_damaged`. */
export function readEventLog(path: string, { session }: { readonly session: SessionId }): EventLogReading {
  const { envelopes, problems, repeats, tornAt } = examineEventLog(path);
  if (problems.length > 0) throw damaged(path, session, problems);
  const foreign = envelopes.find((envelope) => envelope.session !== session);
  if (foreign !== undefined) {
    throw new TroupeError("session_damaged", `${path} contains events of ${foreign.session}, not of ${session}.`);
  }
  const notices = repeats === 0 ? [] : [`${path}: ignored ${repeats} repeated ${repeats === 1 ? "event" : "events"}.`];
  return { envelopes, notices, ...(tornAt !== undefined && { tornAt }) };
}

/** Returns the usable records and the problems with the rest. Throws only for data of a newer version. */
export function examineEventLog(path: string): {
  readonly envelopes: StoredEnvelope[];
  readonly problems: LogProblem[];
  readonly repeats: number;
  readonly tornAt?: number;
} {
  const envelopes: StoredEnvelope[] = [];
  return { envelopes, ...scanEventLog(path, (envelope) => envelopes.push(envelope)) };
}

/** Like `examineEventLog`, but passes each usable record on and keeps none: a log may be larger than memory. */
export function scanEventLog(
  path: string,
  use: (envelope: StoredEnvelope) => void,
): { readonly problems: LogProblem[]; readonly repeats: number; readonly tornAt?: number } {
  const ids = new Set<string>();
  const problems: LogProblem[] = [];
  let owner: AgentId | undefined;
  let repeats = 0;
  let expected = 1;
  const take = ({ offset, value }: { readonly offset: number; readonly value: unknown }) => {
    const parsed = StoredEnvelope.safeParse(value);
    if (!parsed.success) {
      refuseNewer(path, offset, value);
      problems.push({ offset, reason: firstIssue(parsed.error) });
      return;
    }
    const envelope = parsed.data;
    const { agent, id, seq } = envelope;
    if (ids.has(id)) {
      repeats += 1;
      return;
    }
    if (seq !== expected) problems.push({ offset, reason: `event ${expected} is missing here; found event ${seq}` });
    owner ??= agent;
    if (agent !== owner) problems.push({ offset, reason: `it belongs to ${agent}, not to ${owner}` });
    use(envelope);
    ids.add(id);
    expected = Math.max(expected, seq + 1);
  };
  const damaged = ({ offset, reason }: LogProblem) => void problems.push({ offset, reason });
  const tail = scanLines(path, { record: take, damaged });
  // A last line that only lacks its newline is a record; the next append starts with a newline.
  if (tail !== undefined && "value" in tail) take({ offset: tail.offset, value: tail.value });
  problems.sort((a, b) => a.offset - b.offset);
  const isTorn = tail !== undefined && !("value" in tail);
  return { problems, repeats, ...(isTorn && { tornAt: tail.offset }) };
}

export const knownTypes: ReadonlySet<string> = new Set(StoredEvent.options.map((option) => option.shape.type.value));

function refuseNewer(path: string, offset: number, value: unknown): void {
  const line = value as { v?: unknown; event?: { type?: unknown } } | null;
  const version = line?.v;
  const type = line?.event?.type;
  let what: string | undefined;
  if (typeof version === "number" && version > protocolVersion) what = `format version ${version}`;
  if (version === protocolVersion && typeof type === "string" && !knownTypes.has(type)) what = `events of type ${type}`;
  if (what === undefined) return;
  const message =
    `${path}:${lineNumberAt(path, offset)} was written by a newer Troupe: it has ${what}, ` +
    `but this one supports version ${protocolVersion}. Update Troupe to open it.`;
  throw new TroupeError("session_newer", message);
}

function firstIssue(error: { issues: readonly { path: readonly PropertyKey[]; message: string }[] }): string {
  const issue = error.issues[0];
  return issue === undefined
    ? "it is not an event"
    : `${issue.path.map(String).join(".") || "the record"}: ${issue.message}`;
}

function damaged(path: string, session: SessionId, problems: readonly LogProblem[]): TroupeError {
  const { offset = 0, reason = "" } = problems[0] ?? {};
  const first = `${path}:${lineNumberAt(path, offset)}: ${reason}`;
  const more = problems.length === 1 ? "" : ` (and ${problems.length - 1} more)`;
  const wayOut = `\`troupe sessions repair ${session}\` removes the damaged part and keeps the original.`;
  return new TroupeError("session_damaged", `Session ${session} is damaged at ${first}${more}. ${wayOut}`);
}
