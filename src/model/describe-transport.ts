import { messageOf, type ModelFailure } from "../protocol/index.ts";
import { type Endpoint, hostOf } from "./endpoint.ts";

export interface FailureContext {
  readonly endpoint: Endpoint;
  /** Milliseconds since 1970, to read a `retry-after` that is a date. */
  readonly now: number;
  /** True if part of the answer had already arrived. */
  readonly streaming: boolean;
}

/** Describes an error below HTTP: no server, no DNS name, no trusted certificate, or a lost connection. */
export function describeTransport(error: unknown, { endpoint, streaming }: FailureContext): ModelFailure {
  const where = hostOf(endpoint);
  const code = findCode(error);
  if (code === "UND_ERR_HEADERS_TIMEOUT" || code === "UND_ERR_BODY_TIMEOUT")
    return { kind: "stalled", message: `${where} stopped responding.` };
  if (streaming)
    return { kind: "cut", message: `The connection to ${where} ended in the middle of the answer${paren(code)}.` };
  return { kind: "connection", message: reason(code, endpoint.provider === "local", where) ?? fallback(error, where) };
}

function reason(code: string | undefined, local: boolean, where: string): string | undefined {
  if (code === undefined) return undefined;
  if (code === "ECONNREFUSED") {
    const hint = local ? "Is the server running? Its URL is set in TROUPE_LOCAL_BASE_URL." : "Check the base URL.";
    return `Nothing listens on ${where} (ECONNREFUSED). ${hint}`;
  }
  if (code === "ENOTFOUND" || code === "EAI_AGAIN")
    return `The name ${where} cannot be resolved (${code}). Check the network and the base URL.`;
  if (/CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS|ERR_SSL|EPROTO/.test(code))
    return `No secure connection to ${where} (${code}). Check the base URL, the clock and NODE_EXTRA_CA_CERTS.`;
  return `The connection to ${where} failed (${code}).`;
}

const fallback = (error: unknown, where: string) => `The connection to ${where} failed: ${messageOf(error)}`;

const paren = (code: string | undefined) => (code === undefined ? "" : ` (${code})`);

/** Errors of fetch carry the system's code in a nested cause, or in the first of several errors. */
function findCode(error: unknown): string | undefined {
  for (let at: unknown = error, depth = 0; at instanceof Error && depth < 8; depth++) {
    if ("code" in at && typeof at.code === "string") return at.code;
    at = at.cause ?? (at instanceof AggregateError ? at.errors[0] : undefined);
  }
  return undefined;
}
