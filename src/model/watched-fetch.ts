export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** Several times the longest answer of any model. */
export const maxAnswerBytes = 64 * 2 ** 20;
/** Longer than any event. Readers search an unfinished line again with every chunk, so a very long one takes hours. */
export const maxLineBytes = 16 * 2 ** 20;
const maxErrorBytes = 2 ** 20;
const maxRedirects = 3;

/**
 * Wraps fetch to call `alive` whenever headers or bytes arrive: SDKs do not pass pings on. An answer has a size limit
 * after decompression. A redirect to another host is an error: the conversation would go there.
 */
export function watchedFetch(fetch: Fetch, alive: () => void): Fetch {
  return async (input, init) => {
    const response = await followOnHost(fetch, input, init);
    alive();
    if (!response.body) return response;
    const body = response.body.pipeThrough(response.ok ? limited(alive) : shortened());
    return new Response(body, { status: response.status, statusText: response.statusText, headers: response.headers });
  };
}

async function followOnHost(fetch: Fetch, input: string | URL | Request, init?: RequestInit): Promise<Response> {
  let target = new URL(input instanceof Request ? input.url : input);
  let response = await fetch(input, { ...init, redirect: "manual" });
  for (let count = 0; count < maxRedirects; count++) {
    const location = response.headers.get("location");
    if (response.status < 300 || response.status >= 400 || location === null) return response;
    const next = new URL(location, target);
    await response.body?.cancel();
    if (next.host !== target.host || next.protocol !== target.protocol || input instanceof Request)
      return refused(`${target.host} redirects to ${next.host}. The conversation is not sent there.`);
    target = next;
    response = await fetch(next, { ...init, redirect: "manual" });
  }
  return refused(`${target.host} redirects more than ${maxRedirects} times.`);
}

/** A response that is not tried again. */
const refused = (message: string) =>
  new Response(JSON.stringify({ error: { message: `${message} Check the base URL of the provider.` } }), {
    status: 400,
    headers: { "content-type": "application/json" },
  });

function limited(alive: () => void): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  let lineBytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      alive();
      bytes += chunk.length;
      const newline = chunk.lastIndexOf(0x0a);
      lineBytes = newline === -1 ? lineBytes + chunk.length : chunk.length - newline - 1;
      if (bytes > maxAnswerBytes) throw new AnswerTooLargeError(`The answer is larger than ${maxAnswerBytes} bytes.`);
      if (lineBytes > maxLineBytes) throw new AnswerTooLargeError(`An event is larger than ${maxLineBytes} bytes.`);
      controller.enqueue(chunk);
    },
  });
}

/** An error page needs no more than its beginning. */
function shortened(): TransformStream<Uint8Array, Uint8Array> {
  let room = maxErrorBytes;
  return new TransformStream({
    transform(chunk, controller) {
      controller.enqueue(chunk.subarray(0, room));
      room -= chunk.length;
      if (room <= 0) controller.terminate();
    },
  });
}

/** Has the shape of an error of the provider, so that it is reported and not tried again. */
class AnswerTooLargeError extends Error {
  readonly status = 400;
  readonly error: { readonly message: string };
  constructor(message: string) {
    super(message);
    this.error = { message };
  }
}
