import { connect, type Socket } from "node:net";
import { systemClock, withTimeLimit } from "../../platform/index.ts";
import { TroupeError } from "../../protocol/index.ts";
import { type SocketName, socketsFolder, pathToConnect, removeSocket } from "./socket-path.ts";
import {
  type SocketRequest,
  createLineSplitter,
  maxMessageBytes,
  parseLine,
  SocketMessage,
} from "./socket-protocol.ts";

/** A connection to a session socket. */
export interface SocketConnection {
  send(request: SocketRequest): void;
  /**
   * Returns the next message. Undefined when the socket is closed or broken, or after `withinMs`. Messages are
   * buffered; the sender is paused when the buffer is full.
   */
  next(withinMs?: number): Promise<SocketMessage | undefined>;
  close(): void;
}

/** Connects to a session socket. Undefined if no process listens, which also removes the socket, or if none answers. */
export async function connectSessionSocket(home: string, target: SocketName): Promise<SocketConnection | undefined> {
  const socket = await openSocket(home, target);
  if (!socket) return undefined;
  const connection = createSocketConnection(socket);
  const hello = await connection.next(answerMs);
  if (hello?.say === "hello" && hello.session === target.session) return connection;
  connection.close();
  return undefined;
}

/** A stopped process accepts connections but never answers. */
export const answerMs = 1000;
/** The maximum number of buffered messages. */
const maxWaiting = 64;

/** Returns the connected socket. Removes a socket without a listener: its name is never used again. */
export async function openSocket(home: string, { name }: SocketName): Promise<Socket | undefined> {
  const folder = socketsFolder(home);
  const address = await pathToConnect(folder, name);
  if (!address) return undefined;
  const socket = connect(address.path);
  try {
    await new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("error", reject));
    return socket;
  } catch (error) {
    socket.destroy();
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ECONNREFUSED" || code === "ENOENT") await removeSocket(folder, name);
    return undefined;
  } finally {
    address.release();
  }
}

function createSocketConnection(socket: Socket): SocketConnection {
  const splitLines = createLineSplitter(maxMessageBytes);
  const received: SocketMessage[] = [];
  let isClosed = false;
  let problem: TroupeError | undefined;
  let wake: (() => void) | undefined;
  const notify = () => {
    wake?.();
    wake = undefined;
  };
  const end = () => {
    isClosed = true;
    socket.destroy();
    notify();
  };
  socket.on("data", (bytes: Buffer) => {
    const { lines, problem: lineProblem } = splitLines(bytes);
    for (const line of lines) {
      const { value, problem: reason } = parseLine(line, SocketMessage);
      // The stored log explains it better: it says if a newer version wrote it, and which.
      if (value === undefined)
        problem ??= new TroupeError("session_newer", `unknown message from a live session: ${reason}`);
      else received.push(value);
    }
    if (lineProblem !== undefined || problem !== undefined) return end();
    if (received.length >= maxWaiting) socket.pause();
    notify();
  });
  socket.on("error", end).on("close", end);

  const next = async (late?: AbortSignal) => {
    late?.addEventListener("abort", notify, { once: true });
    for (;;) {
      const message = received.shift();
      if (message && received.length === 0 && !isClosed) socket.resume();
      if (message) return message;
      if (problem) throw problem;
      if (isClosed || late?.aborted) return undefined;
      await new Promise<void>((resolve) => (wake = resolve));
    }
  };

  return {
    send(request) {
      if (!socket.destroyed) socket.write(`${JSON.stringify(request)}\n`);
    },
    next: (withinMs) => (withinMs === undefined ? next() : withTimeLimit(systemClock, withinMs, next)),
    close: end,
  };
}
