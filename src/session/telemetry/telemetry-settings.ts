import { type TelemetrySettings, TroupeError } from "../../protocol/index.ts";

/** Where traces go, and what is in them. */
export interface TelemetryConfig {
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly resource: Readonly<Record<string, string>>;
  readonly content: boolean;
  /** The span of whoever has started this program, as `traceparent` says it. */
  readonly parent: { readonly traceId: string; readonly spanId: string } | undefined;
}

/**
 * Off unless the user says so: the variables of OpenTelemetry say where to, and they may stand there for others. Undefined
 * where nothing is exported.
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
    throw new TroupeError("settings", `${name} is no address that begins with http:// or https://: ${text}`);
  const { username, password } = new URL(text);
  if (username === "" && password === "") return text;
  const words = "has a name or a password in it, which is not sent so: put them into OTEL_EXPORTER_OTLP_HEADERS";
  throw new TroupeError("settings", `${name} ${words}`);
}

/** Where a collector on this machine listens for OTLP over HTTP. */
const usual = "http://localhost:4318";

const trimmed = (address: string) => address.replace(/\/+$/, "");

/** What cannot be sent as a header is said before anything is done, and without its value: it may be a key. */
function headers(name: string, env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const all = pairs(name, env);
  for (const [header, value] of Object.entries(all))
    try {
      new Headers().set(header, value);
    } catch {
      throw new TroupeError("settings", `${name}: ${JSON.stringify(header)} is no header that can be sent`);
    }
  return all;
}

/** `name=value,name=value`, percent-encoded. */
function pairs(name: string, env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const entries = (env[name] ?? "").split(",").filter((pair) => pair.trim() !== "");
  return Object.fromEntries(
    entries.map((pair) => {
      const at = pair.indexOf("=");
      try {
        if (at < 1) throw new URIError("it has no name");
        return [pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())];
      } catch (error) {
        // Not the value: it may be a key.
        throw new TroupeError("settings", `${name} is not a list of name=value, with %2C for a comma`, {
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
