import type { FetchLike, Transport } from "@modelcontextprotocol/client";
import type { RemoteConfig } from "./server-config.ts";

export interface HttpTransportOptions {
  readonly config: RemoteConfig;
  readonly messageLimit: number;
  /** Called when the server sends a larger message. The connection is then unusable. */
  readonly onFlood: () => void;
}

/** A server that is reached over HTTP: streamable HTTP, or the older event stream (SSE). */
export async function createHttpTransport(options: HttpTransportOptions): Promise<Transport> {
  const { config } = options;
  const { SSEClientTransport, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const url = addressOf(config.url);
  const fetch = boundedFetch(options);
  const requestInit = { headers: config.headers };
  if (config.type === "sse") return new SSEClientTransport(url, { requestInit, fetch });
  return new StreamableHTTPClientTransport(url, {
    requestInit,
    fetch,
    // The session reports a lost server. A transport that retries for minutes would hide the loss.
    reconnectionOptions: {
      initialReconnectionDelay: 500,
      maxReconnectionDelay: 2_000,
      reconnectionDelayGrowFactor: 2,
      maxRetries: 2,
    },
  });
}

function addressOf(text: string): URL {
  if (!URL.canParse(text)) throw new Error(`${JSON.stringify(text)} is not a URL`);
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") throw new Error(`${text} is neither http nor https`);
  return url;
}

function boundedFetch({ messageLimit, onFlood }: HttpTransportOptions): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init).catch((error: unknown) => {
      if (init?.signal?.aborted) throw error;
      throw unreachable(url, error);
    });
    if (!response.body) return response;
    const body = response.body.pipeThrough(boundMessages({ limit: messageLimit, onFlood }));
    const { status, statusText, headers } = response;
    const bounded = new Response(body, { status, statusText, headers });
    Object.defineProperties(bounded, { url: { value: response.url }, redirected: { value: response.redirected } });
    return bounded;
  };
}

/** Keeps the error type by which the client tells an outage from an answer. */
function unreachable(url: string | URL, error: unknown): TypeError {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : undefined;
  const why = cause instanceof Error && cause.message !== "" ? cause.message : (code ?? String(cause));
  return new TypeError(`cannot reach ${new URL(url).origin}: ${why}`, { cause: error });
}

/** Counts the bytes since the last blank line. A blank line ends a message of an event stream; JSON text has none. */
function boundMessages({ limit, onFlood }: { limit: number; onFlood: () => void }) {
  let length = 0;
  return new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      const lastEnd = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).lastIndexOf("\n\n");
      length = lastEnd < 0 ? length + chunk.length : chunk.length - lastEnd;
      if (length <= limit) return controller.enqueue(chunk);
      onFlood();
      controller.error(new Error(`the server sent a message of more than ${limit} bytes`));
    },
  });
}
