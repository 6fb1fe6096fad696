import type { OwnPresence } from "../../store/index.ts";
import { type RetryContext, retryWhileDiskFull } from "../storage/retry-while-disk-full.ts";

/** Publishes a member's state: the agent's own, or waiting while its session waits for a permission. */
export interface PresencePublisher {
  readonly isIdle: boolean;
  /** Does not wait: publishing takes disk time, and the agent's mail would wait for it. */
  setState(state: "working" | "idle", detail?: string): void;
  /** The request it waits for, its own or a subagent's. Undefined: none. */
  setWaitReason(question: string | undefined): void;
  /** The member was asked to end. */
  setDraining(reason: string): void;
  /** Resolves when the latest state is on disk. */
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
