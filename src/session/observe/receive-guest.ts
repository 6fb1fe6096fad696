import type { Socket } from "node:net";
import type { Clock, CreateId } from "../../platform/index.ts";
import { type Ack, type Envelope, TroupeError } from "../../protocol/index.ts";
import type { Session } from "../session.ts";
import { Asked, createLineCutter, longestAsked, readLine, type Said } from "./door-wire.ts";
import { liveStateOf } from "./live-state.ts";

export interface GuestPorts {
  readonly session: Session;
  readonly hello: Extract<Said, { say: "hello" }>;
  /** There are as many as there may be. */
  readonly isFull: boolean;
  readonly clock: Clock;
  readonly createId: CreateId;
}

/** Somebody at the door: is told what happens if it asks, and has its commands carried out. What goes wrong is its own. */
export function receiveGuest(socket: Socket, ports: GuestPorts): { leave(): void } {
  const { session } = ports;
  const gone = new AbortController();
  const cut = createLineCutter(longestAsked);
  let isListening = false;
  let isLeaving = false;
  let unanswered = 0;

  const say = (said: Said) => {
    if (!socket.destroyed && socket.writable) socket.write(`${JSON.stringify(said)}\n`);
  };

  const sayBye = (code: string, message: string) => {
    say({ say: "bye", code, message });
    gone.abort();
    end();
  };

  /** Who does not read what is left for it has had its time. */
  const end = () => {
    socket.end();
    setTimeout(() => socket.destroy(), lingerMs).unref();
  };

  const hear = (line: string) => {
    const { value, raw, problem } = readLine(line, Asked);
    if (value?.ask === "events") return void follow();
    if (value?.ask === "dispatch") return void carryOut(value.id, value.command);
    const id = idOf(raw);
    if (id === undefined) return sayBye("refused", problem);
    say({ say: "ack", id, ack: { ok: false, code: "invalid_command", message: problem } });
  };

  const carryOut = async (id: number, command: Extract<Asked, { ask: "dispatch" }>["command"]) => {
    unanswered += 1;
    if (unanswered >= maxUnanswered) socket.pause();
    const ack = await session.dispatch(command).catch(
      (error: unknown): Ack => ({
        ok: false,
        code: TroupeError.is(error) ? error.code : "failed",
        message: error instanceof Error ? error.message : String(error),
      }),
    );
    unanswered -= 1;
    if (unanswered < maxUnanswered) socket.resume();
    say({ say: "ack", id, ack });
    letGo();
  };

  const follow = async () => {
    if (isListening) return sayBye("refused", "events were asked for already");
    isListening = true;
    try {
      // In one step: what is not in the state comes as an event.
      const events = session.events({ aside: true, signal: gone.signal });
      const at = new Date(ports.clock.now()).toISOString();
      say({
        say: "now",
        envelopes: liveStateOf(session.view(), { session: session.id, at, createId: ports.createId }),
      });
      await pass(events);
      isListening = false;
      letGo();
    } catch (error) {
      if (TroupeError.is(error)) sayBye(error.code, error.message);
      else socket.destroy();
    }
  };

  /** While the other side does not read, the session's own queue for it grows, and that has an end. */
  const pass = async (events: AsyncIterable<Envelope>) => {
    let batch: Envelope[] = [];
    const flush = () => {
      if (batch.length > 0) say({ say: "events", envelopes: batch });
      batch = [];
    };
    for await (const envelope of events) {
      if (envelope.session !== session.id) continue;
      batch.push(envelope);
      if (batch.length === 1) setImmediate(flush);
      if (batch.length >= batchSize) flush();
      if (socket.writableNeedDrain) await drained(socket);
    }
    flush();
  };

  const letGo = () => {
    if (isLeaving && unanswered === 0 && !isListening) end();
  };

  socket.on("data", (bytes: Buffer) => {
    const { lines, problem } = cut(bytes);
    for (const line of lines) if (!gone.signal.aborted) hear(line);
    if (problem !== undefined) sayBye("refused", problem);
  });
  socket.on("error", () => socket.destroy()); // it went away in the middle of a word
  socket.on("close", () => gone.abort());
  say(ports.hello);
  if (ports.isFull) sayBye("full", "too many are looking at this session already: close some");

  return {
    leave() {
      isLeaving = true;
      letGo();
    },
  };
}

const batchSize = 256;
const maxUnanswered = 32;
const lingerMs = 2000;

const drained = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      socket.off("drain", done).off("close", done);
      resolve();
    };
    if (socket.destroyed) return resolve();
    socket.on("drain", done).on("close", done);
  });

function idOf(raw: unknown): number | undefined {
  if (typeof raw !== "object" || raw === null || !("ask" in raw) || raw.ask !== "dispatch" || !("id" in raw))
    return undefined;
  return Number.isSafeInteger(raw.id) && Number(raw.id) >= 0 ? Number(raw.id) : undefined;
}
