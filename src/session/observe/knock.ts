import { connect, type Socket } from "node:net";
import { TroupeError } from "../../protocol/index.ts";
import { type DoorName, doorsFolder, pathToReach, removeDoor } from "./door-place.ts";
import { type Asked, createLineCutter, longestSaid, readLine, Said } from "./door-wire.ts";

/** One conversation at a door. */
export interface Visit {
  ask(asked: Asked): void;
  /** The next thing said; undefined once the door is shut or broken, or after so long. Said things wait here, and the other side waits when they are many. */
  next(withinMs?: number): Promise<Said | undefined>;
  close(): void;
}

/** Goes in at a door. Undefined: nobody is behind it (then it is taken away), or nobody answers. */
export async function knock(home: string, door: DoorName): Promise<Visit | undefined> {
  const socket = await reach(home, door);
  if (!socket) return undefined;
  const visit = visitOf(socket);
  const hello = await visit.next(answerMs);
  if (hello?.say === "hello" && hello.session === door.session) return visit;
  visit.close();
  return undefined;
}

/** A process that is stopped takes connections, and never says a word. */
export const answerMs = 1000;
/** So many things may wait to be heard. */
const maxWaiting = 64;

/** The socket, once it is connected. A door without anybody behind it is removed: its name is never used again. */
export async function reach(home: string, { name }: DoorName): Promise<Socket | undefined> {
  const folder = doorsFolder(home);
  const place = await pathToReach(folder, name);
  if (!place) return undefined;
  const socket = connect(place.path);
  try {
    await new Promise<void>((resolve, reject) => socket.once("connect", resolve).once("error", reject));
    return socket;
  } catch (error) {
    socket.destroy();
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ECONNREFUSED" || code === "ENOENT") await removeDoor(folder, name);
    return undefined;
  } finally {
    place.release();
  }
}

function visitOf(socket: Socket): Visit {
  const cut = createLineCutter(longestSaid);
  const waiting: Said[] = [];
  let isOver = false;
  let problem: TroupeError | undefined;
  let wake: (() => void) | undefined;
  const notify = () => {
    wake?.();
    wake = undefined;
  };
  const end = () => {
    isOver = true;
    socket.destroy();
    notify();
  };
  socket.on("data", (bytes: Buffer) => {
    const { lines, problem: wrong } = cut(bytes);
    for (const line of lines) {
      const { value, problem: why } = readLine(line, Said);
      // What is on disk says it better: whether it is of a newer version, and of which.
      if (value === undefined)
        problem ??= new TroupeError("session_newer", `a live session says something unknown: ${why}`);
      else waiting.push(value);
    }
    if (wrong !== undefined || problem !== undefined) return end();
    if (waiting.length >= maxWaiting) socket.pause();
    notify();
  });
  socket.on("error", end).on("close", end);

  return {
    ask(asked) {
      if (!socket.destroyed) socket.write(`${JSON.stringify(asked)}\n`);
    },
    async next(withinMs) {
      const isLate = withinMs === undefined ? undefined : AbortSignal.timeout(withinMs);
      isLate?.addEventListener("abort", notify, { once: true });
      for (;;) {
        const said = waiting.shift();
        if (said && waiting.length === 0 && !isOver) socket.resume();
        if (said) return said;
        if (problem) throw problem;
        if (isOver || isLate?.aborted) return undefined;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
    close: end,
  };
}
