/** A request as far as it is looked at before anything is done for it. Header names in lower case, each as often as it came. */
export interface RequestHead {
  readonly method: string;
  /** As it stood in the request line. */
  readonly target: string;
  headers(name: string): readonly string[];
}

export interface Refusal {
  readonly status: 400 | 403 | 405 | 413 | 415 | 421;
  readonly code: string;
  readonly message: string;
}

/** A text from the page; nothing that it sends comes near. */
export const maxBodyBytes = 1024 * 1024;

/**
 * Why a request is not one of our own page's or of the user's address bar, whoever sends it. A browser can be made to send
 * requests here by any page it shows; what it cannot be made to do is to lie about `Host`, `Origin` and `Sec-Fetch-Site`.
 */
export function checkRequest(head: RequestHead, port: number): Refusal | undefined {
  const [host, ...otherHosts] = head.headers("host");
  if (host === undefined || otherHosts.length > 0 || !ownHosts(port).includes(host))
    return refuse(421, "host", `this is ${ownHosts(port)[0]}, and answers to no other name`);
  if (!head.target.startsWith("/") || head.target.startsWith("//"))
    return refuse(400, "target", "the address must be a path");
  if (!["GET", "HEAD", "POST"].includes(head.method)) return refuse(405, "method", "only GET and POST are known here");
  if (head.headers("upgrade").some((value) => /websocket/i.test(value)))
    return refuse(400, "upgrade", "there are no WebSockets here");
  return foreignOrigin(head, host) ?? (head.method === "POST" ? invalidPost(head) : undefined);
}

const ownHosts = (port: number) => [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`];

function foreignOrigin(head: RequestHead, host: string): Refusal | undefined {
  const origins = head.headers("origin");
  if (origins.some((origin) => origin !== `http://${host}`) || (head.method === "POST" && origins.length === 0))
    return refuse(403, "origin", "only the page of this server may ask for that");
  const sites = head.headers("sec-fetch-site");
  if (sites.every((site) => site === "same-origin" || site === "none") || isEntry(head)) return undefined;
  return refuse(403, "site", "another page asked for that: open the address by itself");
}

/** A link somewhere that leads to the address with the token: right or wrong, the token decides. */
const isEntry = (head: RequestHead) =>
  head.method === "GET" &&
  head.target.startsWith("/?token=") &&
  head.headers("sec-fetch-mode").every((mode) => mode === "navigate") &&
  head.headers("sec-fetch-dest").every((destination) => destination === "document");

function invalidPost(head: RequestHead): Refusal | undefined {
  const [type = "", ...others] = head.headers("content-type");
  // No form can send this type, and no script of another origin without asking first, which is refused.
  if (others.length > 0 || !/^application\/json(?:\s*;\s*charset=utf-8)?$/i.test(type))
    return refuse(415, "content_type", "the content must be application/json");
  const [length] = head.headers("content-length");
  if (length !== undefined && Number(length) > maxBodyBytes) return tooLarge;
  return undefined;
}

const refuse = (status: Refusal["status"], code: string, message: string): Refusal => ({ status, code, message });

export const tooLarge: Refusal = refuse(413, "too_large", `at most ${maxBodyBytes} bytes can be sent at once`);
