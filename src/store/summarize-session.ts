import { closeSync, fstatSync, openSync, readSync, type Stats } from "node:fs";
import { decodeLine } from "../platform/index.ts";
import { messageOf, oneLine, type SessionId, StoredEnvelope, type StoredEvent } from "../protocol/index.ts";
import type { SessionSummary } from "./session-store.ts";

/**
 * Reads both ends of the log. Never throws: a list shows the problem instead, also for a log without any event, since
 * a power cut can leave a file that is empty or has only zeros.
 */
export function summarizeSession(session: {
  readonly sessionId: SessionId;
  readonly project: string;
  readonly file: string;
}): SessionSummary {
  const unknown = { ...session, cwd: "", startedAt: "", updatedAt: "" };
  try {
    const fd = openSync(session.file, "r");
    try {
      const ends = readEnds(fd);
      const times = { startedAt: ends.stats.birthtime.toISOString(), updatedAt: ends.stats.mtime.toISOString() };
      const summary = summarizeEnvelopes(ends.envelopes);
      return { ...unknown, ...times, ...summary, ...(ends.stats.size === 0 && { problem: "its log is empty" }) };
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    return { ...unknown, problem: `cannot be read: ${messageOf(error)}` };
  }
}

/** Summarizes a session for a list from any part of its events, in order. */
export function summarizeEnvelopes(envelopes: readonly StoredEnvelope[]): Partial<SessionSummary> {
  const first = envelopes[0];
  if (first === undefined) return { problem: "its beginning is damaged" };
  const events = envelopes.map(({ event }) => event);
  const spawned = events.find((event) => event.type === "agent.spawned");
  const cwd = events.findLast((event) => event.type === "session.opened")?.cwd ?? spawned?.cwd ?? "";
  const firstPrompt = events.find((event) => event.type === "prompt.admitted" && event.source === "user");
  const model = events.reduce<string | undefined>((known, event) => modelOf(event) ?? known, undefined);
  const named = events.findLast((event) => event.type === "session.named");
  const joined = events.findLast((event) => event.type === "team.joined");
  const turns = events.findLast((event) => event.type === "turn.ended" || event.type === "turn.started");
  return {
    cwd,
    startedAt: first.at,
    updatedAt: envelopes.at(-1)?.at ?? first.at,
    ...(firstPrompt?.type === "prompt.admitted" && { firstPrompt: promptLine(firstPrompt) }),
    ...(named !== undefined && { name: named.name }),
    ...(model !== undefined && { model }),
    ...(turns !== undefined && { turns: turns.turn }),
    ...(joined !== undefined && { team: { name: joined.team, role: joined.role, member: joined.name } }),
  };
}

/** True for a session in which nothing happened, such as one that was left before the first prompt. */
export const isEmptySession = ({ firstPrompt, turns, team, name, problem }: SessionSummary): boolean =>
  [firstPrompt, turns, team, name, problem].every((each) => each === undefined);

/** Returns the first of these sessions that can be continued: a lead's, and rather one in which something happened. */
export function sessionToContinue(newestFirst: readonly SessionSummary[]): SessionSummary | undefined {
  const leads = newestFirst.filter((summary) => !isTeammateSession(summary));
  return leads.find((summary) => !isEmptySession(summary)) ?? leads[0];
}

/** True for a session that resumes with its team and not by itself. */
export const isTeammateSession = ({ team }: SessionSummary): boolean => team?.role === "teammate";

const endBytes = 1 << 16;
/** A long system prompt may precede the first prompt. */
const longHeadBytes = 1 << 19;

function readEnds(fd: number): { stats: Stats; envelopes: StoredEnvelope[] } {
  const stats = fstatSync(fd);
  const { size } = stats;
  let head = readRange(fd, 0, Math.min(size, endBytes));
  let envelopes = envelopesIn(head);
  if (size > head.length && !envelopes.some(({ event }) => event.type === "prompt.admitted")) {
    head = readRange(fd, 0, Math.min(size, longHeadBytes));
    envelopes = envelopesIn(head);
  }
  if (size === head.length) return { stats, envelopes };
  const last = envelopes.at(-1)?.seq ?? 0;
  const tail = envelopesIn(readRange(fd, Math.max(head.length, size - endBytes), size));
  return { stats, envelopes: [...envelopes, ...tail.filter(({ seq }) => seq > last)] };
}

function readRange(fd: number, from: number, to: number): Buffer {
  const buffer = Buffer.alloc(Math.max(0, to - from));
  return buffer.subarray(0, readSync(fd, buffer, 0, buffer.length, from));
}

/** Skips lines that are damaged or cut by the ends of the range: opening the session reports them. */
function envelopesIn(bytes: Buffer): StoredEnvelope[] {
  const envelopes: StoredEnvelope[] = [];
  for (let start = 0, end = bytes.indexOf(0x0a); end !== -1; start = end + 1, end = bytes.indexOf(0x0a, start)) {
    if (end === start) continue;
    const decoded = decodeLine(Buffer.from(bytes.subarray(start, end)));
    const parsed = decoded.ok ? StoredEnvelope.safeParse(decoded.value) : undefined;
    if (parsed?.success) envelopes.push(parsed.data);
  }
  return envelopes;
}

function modelOf(event: StoredEvent): string | undefined {
  if (event.type === "agent.spawned" || event.type === "agent.changed" || event.type === "turn.started")
    return event.model;
  return undefined;
}

function promptLine(prompt: Extract<StoredEvent, { type: "prompt.admitted" }>): string {
  const text = prompt.parts.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join(" ");
  return oneLine(text).slice(0, 200);
}
