import { type TelemetrySettings, TroupeError } from "../../protocol/index.ts";

/** The destination and content of traces. */
export interface TelemetryConfig {
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly resource: Readonly<Record<string, string>>;
  readonly content: boolean;
  /** The span of the calling program, from `TRACEPARENT`. */
  readonly parent: { readonly traceId: string; readonly spanId: string } | undefined;
}

/**
 * Returns undefined if tracing is off. It is off by default, because the OpenTelemetry variables may be set for other
 * programs.
 */
export function telemetryConfig(
  settings: TelemetrySettings,
  env: Readonly<Record<string, string | undefined>>,
): TelemetryConfig | undefined {
  const asked = env["TROUPE_TELEMETRY"];
  const isOn = asked === undefined || asked === "" ? (settings.traces ?? false) : !/^(?:0|false|off|no)$/i.test(asked);
  if (!isOn || /^true$/i.test(env["OTEL_SDK_DISABLED"] ?? "")) return undefined;
  return {
    endpoint: endpointOf(settings, env),
    headers: { ...headers("OTEL_EXPORTER_OTLP_HEADERS", env), ...headers("OTEL_EXPORTER_OTLP_TRACES_HEADERS", env) },
    resource: {
      ...pairs("OTEL_RESOURCE_ATTRIBUTES", env),
      "service.name": env["OTEL_SERVICE_NAME"] || pairs("OTEL_RESOURCE_ATTRIBUTES", env)["service.name"] || "troupe",
    },
    content: settings.content ?? false,
    parent: parentOf(env["TRACEPARENT"]),
  };
}

function endpointOf({ endpoint }: TelemetrySettings, env: Readonly<Record<string, string | undefined>>): string {
  const [name, text] = endpoint
    ? ["telemetry.endpoint", `${trimmed(endpoint)}/v1/traces`]
    : env["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"]
      ? ["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", env["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"]]
      : ["OTEL_EXPORTER_OTLP_ENDPOINT", `${trimmed(env["OTEL_EXPORTER_OTLP_ENDPOINT"] || usual)}/v1/traces`];
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol))
    throw new TroupeError("settings", `${name} must be an http:// or https:// URL: ${text}`);
  const { username, password } = new URL(text);
  if (username === "" && password === "") return text;
  const words = "must not contain a user name or password. Use OTEL_EXPORTER_OTLP_HEADERS instead.";
  throw new TroupeError("settings", `${name} ${words}`);
}

/** The default address of a local OTLP/HTTP collector. */
const usual = "http://localhost:4318";

const trimmed = (address: string) => address.replace(/\/+$/, "");

/** Rejects invalid headers at the start. The message omits the value, because it may be a key. */
function headers(name: string, env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const all = pairs(name, env);
  for (const [header, value] of Object.entries(all))
    try {
      new Headers().set(header, value);
    } catch {
      throw new TroupeError("settings", `${name}: ${JSON.stringify(header)} is not a valid header`);
    }
  return all;
}

/** Parses `name=value,name=value`, percent-encoded. */
function pairs(name: string, env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const entries = (env[name] ?? "").split(",").filter((pair) => pair.trim() !== "");
  return Object.fromEntries(
    entries.map((pair) => {
      const at = pair.indexOf("=");
      try {
        if (at < 1) throw new URIError("the name is missing");
        return [pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())];
      } catch (error) {
        // Omit the value: it may be a key.
        throw new TroupeError("settings", `${name} must be a list of name=value pairs, with %2C for a comma`, {
          cause: error,
        });
      }
    }),
  );
}

function parentOf(traceparent: string | undefined): TelemetryConfig["parent"] {
  const [, traceId, spanId] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/.exec(traceparent ?? "") ?? [];
  return traceId && spanId && !/^0+$/.test(traceId) && !/^0+$/.test(spanId) ? { traceId, spanId } : undefined;
}
