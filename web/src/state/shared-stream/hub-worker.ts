import type { FromHub, ToHub } from "./hub-messages.ts";
import { streamEvents } from "./stream-events.ts";
import { createStreamHub, type PagePort } from "./stream-hub.ts";

/** The shared worker of all pages of one server. */
const hub = createStreamHub({
  openSource(name, on) {
    const source = new EventSource(`/api/events?shared=${name}`);
    source.addEventListener("open", () => on.onOpen());
    source.addEventListener("error", () => on.onBroken());
    for (const type of [...streamEvents, "broken"])
      source.addEventListener(type, (event: MessageEvent<string>) =>
        on.onMessage({ channel: event.lastEventId, type, data: event.data }),
      );
    return { close: () => source.close() };
  },
  async post(path, body) {
    const headers = { "content-type": "application/json" };
    try {
      return (await fetch(path, { method: "POST", headers, body: JSON.stringify(body) })).ok;
    } catch {
      return false; // the server is gone; the stream breaks too, and the page retries
    }
  },
  whenReleased: (lock) => navigator.locks.request(lock, () => undefined),
  createName: () => crypto.randomUUID(),
});

addEventListener("connect", (event) => {
  const [port] = (event as MessageEvent).ports;
  if (port) hub.connect(pagePort(port));
});

function pagePort(port: MessagePort): PagePort {
  return {
    send: (message: FromHub) => port.postMessage(message),
    onMessage(listen) {
      port.addEventListener("message", (event: MessageEvent<ToHub>) => listen(event.data));
      port.start();
    },
    close: () => port.close(),
  };
}
