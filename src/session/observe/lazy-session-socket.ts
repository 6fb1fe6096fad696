import type { Clock, CreateId } from "../../platform/index.ts";
import { messageOf } from "../../protocol/index.ts";
import type { Session } from "../session.ts";
import type { SessionSocket } from "./open-session-socket.ts";

/**
 * Opens the session socket after the session has started. `reportProblem` reports a failure, which does not affect the
 * session.
 */
export type SessionSocketOpener = (
  session: Session,
  reportProblem: (message: string) => Promise<void>,
) => SessionSocket;

/** Delays opening, so that it does not slow down the start. Short sessions never open a socket. */
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
        const reason = messageOf(error);
        // If the log cannot be written, the agent's next record fails as well.
        reportProblem(
          `cannot open the session socket: ${reason}. Dashboards in other processes cannot show this session.`,
        ).catch(() => undefined);
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
        // The next session that opens a socket removes the remains, so closing does not wait for this.
        await socket?.close().catch(() => undefined);
      },
    };
  };
}
