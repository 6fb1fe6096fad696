/**
 * The head of a request, checked before anything else. Header names are in lower case; repeated headers are separate.
 */
export interface RequestHead {
  readonly method: string;
  /** The target exactly as in the request line. */
  readonly target: string;
  headers(name: string): readonly string[];
}

export interface Refusal {
  readonly status: 400 | 403 | 405 | 413 | 415 | 421;
  readonly code: string;
  readonly message: string;
}

/** Far above the size of any text from the dashboard. */
export const maxBodyBytes = 1024 * 1024;

/**
 * Returns why a request does not come from the dashboard or from the user's address bar. Any page can make a browser
 * send requests here, but cannot make it forge `Host`, `Origin` and `Sec-Fetch-Site`.
 */
export function checkRequest(head: RequestHead, port: number): Refusal | undefined {
  const [host, ...otherHosts] = head.headers("host");
  if (host === undefined || otherHosts.length > 0 || !ownHosts(port).includes(host))
    return refuse(421, "host", `wrong host: this server answers only to ${ownHosts(port)[0]}`);
  if (!head.target.startsWith("/") || head.target.startsWith("//"))
    return refuse(400, "target", "the request target must be a path");
  if (!["GET", "HEAD", "POST"].includes(head.method)) return refuse(405, "method", "only GET and POST are supported");
  if (head.headers("upgrade").some((value) => /websocket/i.test(value)))
    return refuse(400, "upgrade", "WebSockets are not supported");
  return foreignOrigin(head, host) ?? (head.method === "POST" ? invalidPost(head) : undefined);
}

const ownHosts = (port: number) => [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`];

function foreignOrigin(head: RequestHead, host: string): Refusal | undefined {
  const origins = head.headers("origin");
  if (origins.some((origin) => origin !== `http://${host}`) || (head.method === "POST" && origins.length === 0))
    return refuse(403, "origin", "only the dashboard of this server may send this request");
  const sites = head.headers("sec-fetch-site");
  if (sites.every((site) => site === "same-origin" || site === "none") || isEntry(head)) return undefined;
  return refuse(403, "site", "another page sent this request. Open the URL directly.");
}

/** A link to the URL with the token is allowed: only the token decides. */
const isEntry = (head: RequestHead) =>
  head.method === "GET" &&
  head.target.startsWith("/?token=") &&
  head.headers("sec-fetch-mode").every((mode) => mode === "navigate") &&
  head.headers("sec-fetch-dest").every((destination) => destination === "document");

function invalidPost(head: RequestHead): Refusal | undefined {
  const [type = "", ...others] = head.headers("content-type");
  // No form can send this type. A script of another origin must ask first, and is refused.
  if (others.length > 0 || !/^application\/json(?:\s*;\s*charset=utf-8)?$/i.test(type))
    return refuse(415, "content_type", "the content type must be application/json");
  const [length] = head.headers("content-length");
  if (length !== undefined && Number(length) > maxBodyBytes) return tooLarge;
  return undefined;
}

const refuse = (status: Refusal["status"], code: string, message: string): Refusal => ({ status, code, message });

export const tooLarge: Refusal = refuse(413, "too_large", `the body is larger than ${maxBodyBytes} bytes`);
