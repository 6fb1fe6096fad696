import type { Socket } from "node:net";
import type { Clock, CreateId } from "../../platform/index.ts";
import { type Ack, type Envelope, messageOf, TroupeError } from "../../protocol/index.ts";
import type { Session } from "../session.ts";
import {
  SocketRequest,
  createLineSplitter,
  maxRequestBytes,
  parseLine,
  type SocketMessage,
} from "./socket-protocol.ts";
import { liveStateOf } from "./live-state.ts";

export interface SocketClientPorts {
  readonly session: Session;
  readonly hello: Extract<SocketMessage, { say: "hello" }>;
  /** True if the maximum number of clients is reached. */
  readonly isFull: boolean;
  readonly clock: Clock;
  readonly createId: CreateId;
}

/**
 * Serves one client of the session socket: sends events on request and runs its commands. An error affects only this
 * client.
 */
export function serveSocketClient(socket: Socket, ports: SocketClientPorts): { closeWhenDone(): void } {
  const { session } = ports;
  const disconnected = new AbortController();
  const splitLines = createLineSplitter(maxRequestBytes);
  let isFollowing = false;
  let isClosing = false;
  let unanswered = 0;

  const say = (message: SocketMessage) => {
    if (!socket.destroyed && socket.writable) socket.write(`${JSON.stringify(message)}\n`);
  };

  const sendBye = (code: string, message: string) => {
    say({ say: "bye", code, message });
    disconnected.abort();
    end();
  };

  /** Closes the connection even if the client does not read the rest. */
  const end = () => {
    socket.end();
    setTimeout(() => socket.destroy(), lingerMs).unref();
  };

  const handleLine = (line: string) => {
    const { value, raw, problem } = parseLine(line, SocketRequest);
    if (value?.ask === "events") return void follow();
    if (value?.ask === "dispatch") return void runCommand(value.id, value.command);
    const id = requestIdOf(raw);
    if (id === undefined) return sendBye("refused", problem);
    say({ say: "ack", id, ack: { ok: false, code: "invalid_command", message: problem } });
  };

  const runCommand = async (id: number, command: Extract<SocketRequest, { ask: "dispatch" }>["command"]) => {
    unanswered += 1;
    if (unanswered >= maxUnanswered) socket.pause();
    const ack = await session.dispatch(command).catch(
      (error: unknown): Ack => ({
        ok: false,
        code: TroupeError.is(error) ? error.code : "failed",
        message: messageOf(error),
      }),
    );
    unanswered -= 1;
    if (unanswered < maxUnanswered) socket.resume();
    say({ say: "ack", id, ack });
    closeIfDone();
  };

  const follow = async () => {
    if (isFollowing) return sendBye("refused", "events were already requested");
    isFollowing = true;
    try {
      // No await between the two calls, so no event is lost or repeated.
      const events = session.events({ aside: true, signal: disconnected.signal });
      const at = new Date(ports.clock.now()).toISOString();
      say({
        say: "now",
        envelopes: liveStateOf(session.view(), { session: session.id, at, createId: ports.createId }),
      });
      await forward(events);
      isFollowing = false;
      closeIfDone();
    } catch (error) {
      if (TroupeError.is(error)) sendBye(error.code, error.message);
      else socket.destroy();
    }
  };

  /** While the client does not read, its event queue grows up to the hub's limit. */
  const forward = async (events: AsyncIterable<Envelope>) => {
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
      if (socket.writableNeedDrain) await waitForDrain(socket);
    }
    flush();
  };

  const closeIfDone = () => {
    if (isClosing && unanswered === 0 && !isFollowing) end();
  };

  socket.on("data", (bytes: Buffer) => {
    const { lines, problem } = splitLines(bytes);
    for (const line of lines) if (!disconnected.signal.aborted) handleLine(line);
    if (problem !== undefined) sendBye("refused", problem);
  });
  socket.on("error", () => socket.destroy()); // the client disconnected in the middle of a message
  socket.on("close", () => disconnected.abort());
  say(ports.hello);
  if (ports.isFull) sendBye("full", "too many clients are connected to this session. Close some of them.");

  return {
    closeWhenDone() {
      isClosing = true;
      closeIfDone();
    },
  };
}

const batchSize = 256;
const maxUnanswered = 32;
const lingerMs = 2000;

const waitForDrain = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      socket.off("drain", done).off("close", done);
      resolve();
    };
    if (socket.destroyed) return resolve();
    socket.on("drain", done).on("close", done);
  });

function requestIdOf(raw: unknown): number | undefined {
  if (typeof raw !== "object" || raw === null || !("ask" in raw) || raw.ask !== "dispatch" || !("id" in raw))
    return undefined;
  return Number.isSafeInteger(raw.id) && Number(raw.id) >= 0 ? Number(raw.id) : undefined;
}
