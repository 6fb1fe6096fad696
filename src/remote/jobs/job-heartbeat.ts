import { type Clock, createSilence } from "../../platform/index.ts";
import type { Bus } from "../../store/nats/index.ts";

/** Publishes heartbeats on a subject. Call the result to stop. */
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

export function onHeartbeat(bus: Bus, subject: string, listener: () => void): () => void {
  const listening = bus.connection.subscribe(subject, {
    callback: (error) => {
      if (error === null) listener();
    },
  });
  return () => listening.unsubscribe();
}

/** Measures the silence on a subject. Time without a connection to the bus does not count. */
export interface HeartbeatListener {
  /** Call it every `everyMs`. */
  silentMs(): number;
  end(): void;
}

export function listenForHeartbeat(
  { bus, clock }: { readonly bus: Bus; readonly clock: Pick<Clock, "monotonic"> },
  subject: string,
  { everyMs, heard }: { readonly everyMs: number; heard?(): void },
): HeartbeatListener {
  const silence = createSilence(clock, everyMs);
  const ends = [
    bus.onReconnect(silence.heard),
    onHeartbeat(bus, subject, () => {
      silence.heard();
      heard?.();
    }),
  ];
  return {
    silentMs: () => (bus.isConnected() ? silence.ms() : 0),
    end() {
      for (const end of ends) end();
    },
  };
}
