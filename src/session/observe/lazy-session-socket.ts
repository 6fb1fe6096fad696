import type { Clock, CreateId } from "../../platform/index.ts";
import type { Session } from "../session.ts";
import type { SessionSocket } from "./open-session-socket.ts";

/** Opens the door of a session once it has begun. `tell` is for what keeps it shut, which stops nothing. */
export type SessionSocketOpener = (
  session: Session,
  reportProblem: (message: string) => Promise<void>,
) => SessionSocket;

/** By then the first request is on its way, and what is short has ended: a start is not to wait for those who may look on. */
const openDelayMs = 200;

export function createLazySessionSocket(options: {
  readonly home: string;
  readonly clock: Clock;
  readonly createId: CreateId;
}): SessionSocketOpener {
  return (session, reportProblem) => {
    let opening: Promise<SessionSocket | undefined> | undefined;
    const open = async () => {
      try {
        const { openSessionSocket: openDoor } = await import("./open-session-socket.ts");
        return await openDoor({ ...options, session });
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        // Where not even the log takes it, whoever works hears of that.
        reportProblem(`this session cannot be looked at from a dashboard in another process: ${reason}`).catch(
          () => undefined,
        );
        return undefined;
      }
    };
    const timer = setTimeout(() => {
      opening = open();
    }, openDelayMs).unref();
    return {
      async close() {
        clearTimeout(timer);
        const socket = await opening;
        // What is left of it is taken away by the next one that opens a door: an end is not held up by it.
        await socket?.close().catch(() => undefined);
      },
    };
  };
}
