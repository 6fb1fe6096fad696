import type { Clock } from "../../platform/index.ts";
import type { Bus } from "../nats/bus.ts";

/** Says on a subject, again and again, that somebody is there. The result ends that. */
export function beat(bus: Bus, subject: string, everyMs: number): () => void {
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
export interface Silence {
  ms(): number;
  end(): void;
}

export function listenFor(
  { bus, clock }: { readonly bus: Bus; readonly clock: Pick<Clock, "monotonic"> },
  subject: string,
  onBeat: () => void = () => undefined,
): Silence {
  let heard = clock.monotonic();
  const hears = () => {
    heard = clock.monotonic();
  };
  const listening = bus.connection.subscribe(subject, {
    callback(error) {
      if (error !== null) return;
      hears();
      onBeat();
    },
  });
  const stopListening = bus.onReconnect(hears);
  return {
    ms: () => (bus.isConnected() ? clock.monotonic() - heard : 0),
    end() {
      stopListening();
      listening.unsubscribe();
    },
  };
}
