import type { MemberState } from "../../protocol/index.ts";
import type { OwnPresence } from "../../store/index.ts";
import { type RetryContext, retryWhileDiskFull } from "../storage/retry-while-disk-full.ts";

/** Publishes a member's state: the agent's own, or waiting while its session waits for a permission. */
export interface PresencePublisher {
  readonly isIdle: boolean;
  /** Does not wait: publishing takes disk time, and the agent's mail would wait for it. */
  setState(state: "working" | "idle", detail?: string, since?: string): void;
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

interface Published {
  readonly state: MemberState;
  readonly detail?: string | undefined;
  /** An ISO time, if the state began before it was published. */
  readonly since?: string | undefined;
}

export function createPresencePublisher({
  presence,
  isDraining,
  retry,
  onFailure,
}: PresencePublisherOptions): PresencePublisher {
  let current: Published = { state: "working" };
  let waitingFor: string | undefined;
  let lastPublish: Promise<void> = Promise.resolve();

  const publish = ({ state, detail, since }: Published) => {
    lastPublish = retryWhileDiskFull(
      () => (isDraining() ? presence.set("draining", detail) : presence.set(state, detail, since)),
      retry,
    ).catch(onFailure);
  };
  const publishCurrent = () => publish(waitingFor === undefined ? current : { state: "waiting", detail: waitingFor });

  return {
    get isIdle() {
      return current.state === "idle";
    },
    setState(state, detail, since) {
      current = { state, detail, since };
      publishCurrent();
    },
    setWaitReason(question) {
      waitingFor = question;
      publishCurrent();
    },
    setDraining: (reason) => publish({ state: "draining", detail: reason }),
    published: () => lastPublish,
  };
}
