import type { Fetch } from "../../../src/model/watched-fetch.ts";

/** A fetch that answers with these pieces of a body, one chunk each. */
export const fetchOf =
  (pieces: readonly (string | Uint8Array)[]): Fetch =>
  () =>
    Promise.resolve(
      new Response(
        new ReadableStream<Uint8Array>({
          start(controller) {
            for (const piece of pieces) controller.enqueue(typeof piece === "string" ? Buffer.from(piece) : piece);
            controller.close();
          },
        }),
        { status: 200, headers: { "content-type": "text/event-stream" } },
      ),
    );
