import { systemClock, withTimeLimit } from "../platform/index.ts";

export type FetchedPage =
  | {
      readonly kind: "page";
      readonly url: string;
      readonly status: number;
      readonly mediaType: string;
      readonly body: Buffer;
    }
  | { readonly kind: "redirect"; readonly url: string }
  | { readonly kind: "failed"; readonly message: string };

export interface FetchLimits {
  readonly bytes: number;
  readonly ms: number;
  readonly redirects: number;
}

/**
 * Follows redirects only within the same host. Fails when the body is too large or too slow; never returns a part of
 * it.
 */
export async function fetchPage(url: URL, limits: FetchLimits, signal: AbortSignal): Promise<FetchedPage> {
  return withTimeLimit(systemClock, limits.ms, async (late) => {
    try {
      return await follow(url, limits, AbortSignal.any([signal, late]));
    } catch (error) {
      signal.throwIfAborted();
      const reason = late.aborted ? `no complete answer within ${limits.ms / 1000} seconds` : reasonOf(error);
      return { kind: "failed", message: `cannot fetch ${url.href}: ${reason}.` };
    }
  });
}

async function follow(start: URL, limits: FetchLimits, signal: AbortSignal): Promise<FetchedPage> {
  let url = start;
  for (let redirects = 0; redirects <= limits.redirects; redirects++) {
    const response = await fetch(url, { redirect: "manual", signal, headers });
    const location = response.headers.get("location");
    if (response.status >= 300 && response.status < 400 && location !== null) {
      await response.body?.cancel();
      const next = upgraded(new URL(location, url));
      if (next.host !== url.host || next.protocol !== url.protocol) return { kind: "redirect", url: next.href };
      url = next;
      continue;
    }
    const body = await readBody(response, limits.bytes);
    if (!body) {
      return { kind: "failed", message: `cannot read ${url.href}: it is larger than ${limits.bytes} bytes.` };
    }
    const mediaType = (response.headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
    return { kind: "page", url: url.href, status: response.status, mediaType, body };
  }
  return { kind: "failed", message: `${start.href} redirects more than ${limits.redirects} times.` };
}

const headers = { accept: "text/markdown, text/html, text/plain, */*;q=0.5", "user-agent": "troupe" };

/** Replaces http by https, except for addresses of this machine. */
export function upgraded(url: URL): URL {
  if (url.protocol !== "http:" || isLoopback(url.hostname)) return url;
  const secure = new URL(url);
  secure.protocol = "https:";
  return secure;
}

const isLoopback = (host: string) => host === "localhost" || host === "[::1]" || /^127(\.\d+){3}$/.test(host);

async function readBody(response: Response, limit: number): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += (chunk as Uint8Array).length;
    if (size > limit) return undefined;
    chunks.push(chunk as Uint8Array);
  }
  return Buffer.concat(chunks);
}

/** The message of a fetch error says little; its cause has the reason. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (cause instanceof AggregateError) return reasonOf(cause.errors[0]);
  return cause instanceof Error ? cause.message : error.message;
}
