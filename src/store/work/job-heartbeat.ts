import type { Clock } from "../../platform/index.ts";
import type { Bus } from "../nats/connection/bus.ts";

/** Says on a subject, again and again, that somebody is there. The result ends that. */
export function startHeartbeat(bus: Bus, subject: string, everyMs: number): () => void {
  const say = () => {
    if (bus.isConnected()) bus.connection.publish(subject);
  };
  say();
  const beating = setInterval(say, everyMs);
  beating.unref();
  const stopListening = bus.onReconnect(say);
  return () => {
    clearInterval(beating);
    stopListening();
  };
}

/** How long nothing was heard on a subject. While the bus is away nobody can be heard, and that is not counted. */
export interface HeartbeatListener {
  silentMs(): number;
  end(): void;
}

export function listenForHeartbeat(
  { bus, clock }: { readonly bus: Bus; readonly clock: Pick<Clock, "monotonic"> },
  subject: string,
  onBeat: () => void = () => undefined,
): HeartbeatListener {
  let lastHeardAt = clock.monotonic();
  const noteHeartbeat = () => {
    lastHeardAt = clock.monotonic();
  };
  const listening = bus.connection.subscribe(subject, {
    callback(error) {
      if (error !== null) return;
      noteHeartbeat();
      onBeat();
    },
  });
  const stopListening = bus.onReconnect(noteHeartbeat);
  return {
    silentMs: () => (bus.isConnected() ? clock.monotonic() - lastHeardAt : 0),
    end() {
      stopListening();
      listening.unsubscribe();
    },
  };
}
