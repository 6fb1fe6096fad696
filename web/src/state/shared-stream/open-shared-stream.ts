import type { ConnectionPorts } from "../live-connection.ts";
import type { FromHub, ToHub } from "./hub-messages.ts";
import { streamEvents } from "./stream-events.ts";

/** Opens a stream through the worker that all pages of this browser share. */
export const openSharedStream: ConnectionPorts["openStream"] = (address, on) => {
  const { searchParams } = new URL(address, location.href);
  const worker = new SharedWorker(new URL("hub-worker.ts", import.meta.url), { name: "troupe-stream" });
  const { port } = worker;
  const send = (message: ToHub) => port.postMessage(message);
  let isClosed = false;
  const broken = () => {
    if (!isClosed) on.broken();
  };
  worker.addEventListener("error", broken);
  port.addEventListener("message", ({ data }: MessageEvent<FromHub>) => {
    if (isClosed) return;
    if (data.kind === "open") return on.onOpen();
    if (data.kind === "broken") return broken();
    const type = streamEvents.find((known) => known === data.type);
    if (type) on.onMessage(type, data.data);
    send({ kind: "read", length: data.data.length });
  });
  port.start();
  const after = searchParams.get("after");
  send({
    kind: "follow",
    session: searchParams.get("session") ?? undefined,
    after: after === null ? {} : (JSON.parse(after) as unknown),
    summaries: searchParams.get("summaries") === "true",
  });
  const release = holdLock((lock) => send({ kind: "locked", lock }));
  return {
    close() {
      if (isClosed) return;
      isClosed = true;
      send({ kind: "close" });
      port.close();
      release();
    },
  };
};

/** Holds a lock until it is released or the page is gone, however it goes. */
function holdLock(onHeld: (lock: string) => void): () => void {
  const lock = `troupe-page-${crypto.randomUUID()}`;
  const ended = new AbortController();
  void navigator.locks.request(lock, () => {
    onHeld(lock);
    return new Promise<void>((resolve) => ended.signal.addEventListener("abort", () => resolve()));
  });
  return () => ended.abort();
}

export const canShareStream = (): boolean => "SharedWorker" in globalThis && "locks" in navigator;
