import { type ModelFailure, withoutStop } from "../protocol/index.ts";
import { suggestModel } from "./catalog.ts";
import { type Endpoint, hostOf, keyVariables } from "./endpoint.ts";

interface ServerError {
  readonly status: number | undefined;
  readonly message: string;
  readonly type: string | undefined;
  readonly code: string | undefined;
}
interface Circumstances {
  readonly endpoint: Endpoint;
  readonly retryAfterMs: number | undefined;
  /** The server said that a retry is useless. */
  readonly final: boolean;
}

/**
 * Describes a refusal with the server's message: by status, or by type for an error event in a stream that started
 * well.
 */
export function describeStatus(
  serverError: ServerError,
  { endpoint, retryAfterMs, final }: Circumstances,
): ModelFailure {
  const kind = kindOf(serverError, final);
  const what = headline(kind, serverError, endpoint);
  const next = advice(kind, endpoint);
  const said = next === "" ? stripStatus(serverError) : withoutStop(stripStatus(serverError));
  return {
    kind,
    message: `${what}${said && `: ${said}`}${next}`,
    ...(serverError.status !== undefined && { status: serverError.status }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}

function kindOf(serverError: ServerError, final: boolean): ModelFailure["kind"] {
  const { status, type, code } = serverError;
  if (isOverflow(serverError)) return "context_overflow";
  if (code === "insufficient_quota" || status === 402 || type === "billing_error") return "forbidden";
  const kind = status === undefined ? kindOfType(type, code) : kindOfStatus(status, type);
  return final && kind === "rate_limited" ? "forbidden" : kind;
}

function kindOfStatus(status: number, type: string | undefined): ModelFailure["kind"] {
  if (status === 401) return "authentication";
  if (status === 403) return "forbidden";
  if (status === 404) return "not_found";
  if (status === 429) return "rate_limited";
  if (status === 503 || status === 529 || type === "overloaded_error") return "overloaded";
  if (status === 408 || status === 409 || status >= 500) return "server";
  return "bad_request";
}

function kindOfType(type: string | undefined, code: string | undefined): ModelFailure["kind"] {
  const name = `${type ?? ""} ${code ?? ""}`;
  if (/overloaded/.test(name)) return "overloaded";
  if (/rate_limit|\b429\b/.test(name)) return "rate_limited";
  if (/authentication|invalid_api_key|\b401\b/.test(name)) return "authentication";
  if (/permission|\b403\b/.test(name)) return "forbidden";
  if (/not_found|\b404\b/.test(name)) return "not_found";
  if (/invalid_request|\b400\b/.test(name)) return "bad_request";
  return "server";
}

/** Messages of hosted and local servers for a prompt that does not fit. A too large `max_tokens` is not one of them. */
const overflowPattern =
  /prompt is too long|input is too long|(maximum|available|exceeds? the|exceed) context|context[ _](length|size|window)[ _]?(is |was )?exceed|exceeds? the (model'?s )?(maximum )?context|context overflow|exceed_context_size/i;

function isOverflow({ status, message, type, code }: ServerError): boolean {
  if (status === 413 || code === "context_length_exceeded" || type === "exceed_context_size_error") return true;
  return (status === undefined || status === 400 || status === 422 || status === 500) && overflowPattern.test(message);
}

const providerNames = { anthropic: "Anthropic", openai: "OpenAI", local: "the local server" } as const;

function headline(kind: ModelFailure["kind"], serverError: ServerError, endpoint: Endpoint): string {
  const who = `${providerNames[endpoint.provider]} (${hostOf(endpoint)})`;
  const status =
    serverError.status === undefined ? (serverError.type ?? "during the answer") : String(serverError.status);
  const start = who.charAt(0).toUpperCase() + who.slice(1);
  if (kind === "not_found") return `${start} does not know the model ${endpoint.model} (${status})`;
  if (kind === "context_overflow") return `The conversation is too long for ${endpoint.model} (${status})`;
  if (kind === "authentication") return `${start} did not accept the key (${status})`;
  if (kind === "rate_limited") return `${start} rate-limited the request (${status})`;
  if (kind === "overloaded") return `${start} is overloaded (${status})`;
  return `${start} answered ${status}`;
}

/** SDKs put the status in front of the message, but the headline already has it. */
const stripStatus = ({ status, message }: ServerError) =>
  message.startsWith(`${status} `) ? message.slice(`${status} `.length) : message;

function advice(kind: ModelFailure["kind"], endpoint: Endpoint): string {
  if (kind === "authentication") return `. Check ${keyVariables[endpoint.provider]}.`;
  if (kind === "forbidden")
    return `. Check the permissions and the credit of the key in ${keyVariables[endpoint.provider]}.`;
  if (kind !== "not_found") return "";
  if (endpoint.provider === "local") return `. Is it installed on that server? Check the name after local/.`;
  const name = `${endpoint.provider}/${endpoint.model}`;
  const near = suggestModel(name);
  return near && near !== name ? `. Did you mean ${near}?` : ". Check the name given with --model or in the settings.";
}
