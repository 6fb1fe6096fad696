import type { OwnPresence } from "../../store/index.ts";
import { type RetryContext, retryWhileDiskFull } from "../storage/retry-while-disk-full.ts";

/** What a member says of its state: that of its agent, unless somebody in its session waits to be allowed something. */
export interface PresencePublisher {
  readonly isIdle: boolean;
  /** At once: what is still being told of its last rest takes a disk's time, and its mail would wait for that. */
  setState(state: "working" | "idle", detail?: string): void;
  /** What is waited for, its own question or one of an agent of its; undefined: nothing any more. */
  setWaitReason(question: string | undefined): void;
  /** It is asked to end. */
  setDraining(reason: string): void;
  /** Resolves when the last word about it is on disk. */
  published(): Promise<void>;
}

export interface PresencePublisherOptions {
  readonly presence: OwnPresence;
  readonly isDraining: () => boolean;
  readonly retry: RetryContext;
  readonly onFailure: (error: unknown) => void;
}

export function createPresencePublisher({
  presence,
  isDraining,
  retry,
  onFailure,
}: PresencePublisherOptions): PresencePublisher {
  let current: { readonly state: "working" | "idle"; readonly detail?: string | undefined } = { state: "working" };
  let waitingFor: string | undefined;
  let lastPublish: Promise<void> = Promise.resolve();

  const publish = (state: Parameters<OwnPresence["set"]>[0], detail: string | undefined) => {
    lastPublish = retryWhileDiskFull(() => presence.set(isDraining() ? "draining" : state, detail), retry).catch(
      onFailure,
    );
  };
  const publishCurrent = () =>
    waitingFor === undefined ? publish(current.state, current.detail) : publish("waiting", waitingFor);

  return {
    get isIdle() {
      return current.state === "idle";
    },
    setState(state, detail) {
      current = { state, detail };
      publishCurrent();
    },
    setWaitReason(question) {
      waitingFor = question;
      publishCurrent();
    },
    setDraining: (reason) => publish("draining", reason),
    published: () => lastPublish,
  };
}
