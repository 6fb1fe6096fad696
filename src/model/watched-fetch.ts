export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** Wraps fetch to call `alive` whenever headers or bytes arrive: SDKs do not pass pings on. */
export function watchedFetch(fetch: Fetch, alive: () => void): Fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    alive();
    if (!response.ok || !response.body) return response;
    const body = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          alive();
          controller.enqueue(chunk);
        },
      }),
    );
    return new Response(body, { status: response.status, statusText: response.statusText, headers: response.headers });
  };
}
