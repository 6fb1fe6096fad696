import type { ConnectionPorts } from "./live-connection.ts";
import { streamEvents } from "./shared-stream/stream-events.ts";

/** The connection ports of the browser. */
export const browserPorts: ConnectionPorts = {
  openStream(address, on) {
    const source = new EventSource(address);
    source.addEventListener("open", () => on.onOpen());
    source.addEventListener("error", () => on.broken());
    for (const type of streamEvents) {
      source.addEventListener(type, (event: MessageEvent<string>) => on.onMessage(type, event.data));
    }
    return { close: () => source.close() };
  },
  async isKnown() {
    try {
      const { status } = await fetch("/", { cache: "no-store" });
      return status !== 401 && status !== 403;
    } catch {
      return true; // no answer: it is unknown whether the browser is accepted
    }
  },
  nextFrame(run) {
    // A hidden page gets no frames, but must not pile up events.
    if (document.visibilityState === "hidden") {
      const timer = setTimeout(run, 200);
      return () => clearTimeout(timer);
    }
    let timer: ReturnType<typeof setTimeout> | undefined;
    const frame = requestAnimationFrame(() => {
      clearTimeout(timer);
      run();
    });
    // The page may be hidden before that frame.
    timer = setTimeout(() => {
      cancelAnimationFrame(frame);
      run();
    }, 250);
    return () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
    };
  },
  after(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
  random: () => Math.random(),
};
