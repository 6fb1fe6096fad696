import type { ConnectionPorts } from "./live-connection.ts";
import { messageTypes } from "./read-stream-message.ts";

/** The browser itself, as a connection needs it. */
export const browserPorts: ConnectionPorts = {
  openStream(address, on) {
    const source = new EventSource(address);
    source.addEventListener("open", () => on.onOpen());
    source.addEventListener("error", () => on.broken());
    for (const type of messageTypes) {
      source.addEventListener(type, (event: MessageEvent<string>) => on.onMessage(type, event.data));
    }
    return { close: () => source.close() };
  },
  async isKnown() {
    try {
      const { status } = await fetch("/", { cache: "no-store" });
      return status !== 401 && status !== 403;
    } catch {
      return true; // nobody answers: that says nothing about who would be let in
    }
  },
  nextFrame(run) {
    // A page that nobody sees is drawn no frames, and yet must not heap up what it is told.
    if (document.visibilityState === "hidden") {
      const timer = setTimeout(run, 200);
      return () => clearTimeout(timer);
    }
    let timer: ReturnType<typeof setTimeout> | undefined;
    const frame = requestAnimationFrame(() => {
      clearTimeout(timer);
      run();
    });
    // It may be hidden before that frame.
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
