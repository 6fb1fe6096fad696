import type { OwnPresence } from "../store/index.ts";
import { type Room, whenRoom } from "./when-room.ts";

/** What a member says of its state: that of its agent, unless somebody in its session waits to be allowed something. */
export interface OwnState {
  readonly isIdle: boolean;
  /** At once: what is still being told of its last rest takes a disk's time, and its mail would wait for that. */
  say(state: "working" | "idle", detail?: string): void;
  /** What is waited for, its own question or one of an agent of its; undefined: nothing any more. */
  waitsFor(question: string | undefined): void;
  /** It is asked to end. */
  drains(reason: string): void;
  /** Resolves when the last word about it is on disk. */
  stated(): Promise<void>;
}

export interface OwnStateOptions {
  readonly presence: OwnPresence;
  readonly isDraining: () => boolean;
  readonly room: Room;
  readonly onFailure: (error: unknown) => void;
}

export function createOwnState({ presence, isDraining, room, onFailure }: OwnStateOptions): OwnState {
  let own: { readonly state: "working" | "idle"; readonly detail?: string | undefined } = { state: "working" };
  let awaited: string | undefined;
  let said: Promise<void> = Promise.resolve();

  const put = (state: Parameters<OwnPresence["set"]>[0], detail: string | undefined) => {
    said = whenRoom(() => presence.set(isDraining() ? "draining" : state, detail), room).catch(onFailure);
  };
  const show = () => (awaited === undefined ? put(own.state, own.detail) : put("waiting", awaited));

  return {
    get isIdle() {
      return own.state === "idle";
    },
    say(state, detail) {
      own = { state, detail };
      show();
    },
    waitsFor(question) {
      awaited = question;
      show();
    },
    drains: (reason) => put("draining", reason),
    stated: () => said,
  };
}
