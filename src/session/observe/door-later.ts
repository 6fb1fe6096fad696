import type { Clock, CreateId } from "../../platform/index.ts";
import type { Session } from "../session.ts";
import type { Door } from "./open-door.ts";

/** Opens the door of a session once it has begun. `tell` is for what keeps it shut, which stops nothing. */
export type OpenDoor = (session: Session, tell: (message: string) => Promise<void>) => Door;

/** By then the first request is on its way, and what is short has ended: a start is not to wait for those who may look on. */
const laterMs = 200;

export function doorLater(place: {
  readonly home: string;
  readonly clock: Clock;
  readonly createId: CreateId;
}): OpenDoor {
  return (session, tell) => {
    let opening: Promise<Door | undefined> | undefined;
    const open = async () => {
      try {
        const { openDoor } = await import("./open-door.ts");
        return await openDoor({ ...place, session });
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        // Where not even the log takes it, whoever works hears of that.
        tell(`this session cannot be looked at from a dashboard in another process: ${why}`).catch(() => undefined);
        return undefined;
      }
    };
    const timer = setTimeout(() => {
      opening = open();
    }, laterMs).unref();
    return {
      async close() {
        clearTimeout(timer);
        const door = await opening;
        // What is left of it is taken away by the next one that opens a door: an end is not held up by it.
        await door?.close().catch(() => undefined);
      },
    };
  };
}
