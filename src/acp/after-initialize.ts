import type { Stream } from "@agentclientprotocol/sdk";

/**
 * Returns a stream that holds the messages behind `initialize` until its answer is sent. A client may send its first
 * request without waiting.
 */
export function afterInitialize({ readable, writable }: Stream): Stream {
  let answered: (() => void) | undefined;
  let waitingFor: unknown;
  let before: Promise<void> = Promise.resolve();
  const incoming = readable.pipeThrough(
    new TransformStream({
      async transform(message, controller) {
        await before;
        if ("method" in message && message.method === "initialize" && "id" in message) {
          waitingFor = message.id;
          before = new Promise((resolve) => {
            answered = resolve;
          });
        }
        controller.enqueue(message);
      },
    }),
  );
  const writer = writable.getWriter();
  const outgoing = new WritableStream({
    async write(message) {
      await writer.write(message);
      if (answered !== undefined && !("method" in message) && message.id === waitingFor) answered();
    },
    close: () => writer.close(),
    abort: (reason) => writer.abort(reason),
  });
  return { readable: incoming, writable: outgoing };
}
