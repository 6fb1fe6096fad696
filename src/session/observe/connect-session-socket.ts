import { connect, type Socket } from "node:net";
import { TroupeError } from "../../protocol/index.ts";
import { type SocketName, socketsFolder, pathToConnect, removeSocket } from "./socket-path.ts";
import {
  type SocketRequest,
  createLineSplitter,
  maxMessageBytes,
  parseLine,
  SocketMessage,
} from "./socket-protocol.ts";

/** One conversation at a door. */
export interface SocketConnection {
  send(request: SocketRequest): void;
  /** The next thing said; undefined once the door is shut or broken, or after so long. Said things wait here, and the other side waits when they are many. */
  next(withinMs?: number): Promise<SocketMessage | undefined>;
  close(): void;
}

/** Goes in at a door. Undefined: nobody is behind it (then it is taken away), or nobody answers. */
export async function connectSessionSocket(home: string, target: SocketName): Promise<SocketConnection | undefined> {
  const socket = await openSocket(home, target);
  if (!socket) return undefined;
  const connection = createSocketConnection(socket);
  const hello = await connection.next(answerMs);
  if (hello?.say === "hello" && hello.session === target.session) return connection;
  connection.close();
  return undefined;
}

/** A process that is stopped takes connections, and never says a word. */
export const answerMs = 1000;
/** So many things may wait to be heard. */
const maxWaiting = 64;

/** The socket, once it is connected. A door without anybody behind it is removed: its name is never used again. */
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
      // What is on disk says it better: whether it is of a newer version, and of which.
      if (value === undefined)
        problem ??= new TroupeError("session_newer", `a live session says something unknown: ${reason}`);
      else received.push(value);
    }
    if (lineProblem !== undefined || problem !== undefined) return end();
    if (received.length >= maxWaiting) socket.pause();
    notify();
  });
  socket.on("error", end).on("close", end);

  return {
    send(request) {
      if (!socket.destroyed) socket.write(`${JSON.stringify(request)}\n`);
    },
    async next(withinMs) {
      const timeout = withinMs === undefined ? undefined : AbortSignal.timeout(withinMs);
      timeout?.addEventListener("abort", notify, { once: true });
      for (;;) {
        const message = received.shift();
        if (message && received.length === 0 && !isClosed) socket.resume();
        if (message) return message;
        if (problem) throw problem;
        if (isClosed || timeout?.aborted) return undefined;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
    close: end,
  };
}
