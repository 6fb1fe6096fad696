import type { ProcessIdentity } from "../../../platform/index.ts";
import { TroupeError } from "../../../protocol/index.ts";
import { publish, type RetryLimits } from "../connection/bus-request.ts";
import type { PresenceMessage, PresenceMessagesOptions } from "./presence-messages.ts";

/** The heartbeats of this process, which renew the leases of all its members. */
export interface BusHeartbeat {
  beat(waitMs: number): Promise<void>;
  /** Publishes one without waiting. A lost heartbeat is followed by the next one. */
  tryToBeat(): void;
  /** False while the silence of others says nothing, because their heartbeats could not arrive here. */
  hearsOthers(): boolean;
  /** Throws if heartbeats have stopped for good. */
  assertBeating(): void;
  close(): void;
}

export interface BusHeartbeatOptions extends PresenceMessagesOptions {
  readonly here: ProcessIdentity;
  readonly process: string;
  readonly patience: RetryLimits;
}

export function createBusHeartbeat(options: BusHeartbeatOptions): BusHeartbeat {
  const { bus, stream, subjects, createId, leaseMs, uptime, here, process, patience } = options;
  /** After a longer silence the bus was unreachable. No heartbeat could arrive then, so none counts as missed. */
  const maxSilence = Math.max(leaseMs / 2, 2 * options.beatMs);
  let lastContact = uptime();
  let connectedSince = uptime() - Math.max(0, leaseMs - maxSilence);
  let failure: { readonly error: unknown } | undefined;

  const beat = async (waitMs: number) => {
    if (!bus.isConnected()) return;
    const payload = JSON.stringify({ owner: here, process } satisfies PresenceMessage);
    const message = { stream, subject: subjects.beat(process), payload, id: createId<string>("beat"), replaces: true };
    await publish(bus, message, { ...patience, waitMs });
    if (uptime() - lastContact > maxSilence) connectedSince = uptime();
    lastContact = uptime();
  };

  const tryToBeat = () => {
    beat(0).catch((error: unknown) => {
      // Every reader sees when a lease runs out.
      if (!TroupeError.is(error) && !patience.signal?.aborted) failure = { error };
    });
  };

  const stops = [bus.onDisconnect(() => void (lastContact = Number.NEGATIVE_INFINITY)), bus.onReconnect(tryToBeat)];
  return {
    beat,
    tryToBeat,
    hearsOthers: () => bus.isConnected() && uptime() - lastContact <= maxSilence && uptime() - connectedSince > leaseMs,
    assertBeating() {
      if (failure !== undefined) throw failure.error;
    },
    close() {
      for (const stop of stops) stop();
    },
  };
}
