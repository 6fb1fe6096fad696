import type { Clock } from "../platform/index.ts";
import { type ModelClient, TroupeError } from "../protocol/index.ts";
import type { AttemptModel } from "./attempt.ts";
import { factsOf, type ModelOverrides, type ModelRef, resolveModel } from "./catalog.ts";
import { type Endpoint, keyVariables } from "./endpoint.ts";
import { type GateRegistry, localLimits, scriptedLimits } from "./gate.ts";
import { type RetryOptions, withRetry } from "./retry.ts";
import type { Fetch } from "./watched-fetch.ts";

/** Provider settings from the environment and the user's own settings. Nothing here is read from a repository. */
export type ProviderEnv = Readonly<Partial<Record<ProviderVariable, string | undefined>>>;
type ProviderVariable =
  | "anthropicKey"
  | "anthropicAuthToken"
  | "anthropicBaseUrl"
  | "openaiKey"
  | "openaiBaseUrl"
  | "localBaseUrl"
  | "localKey";

export interface ModelSpec {
  /** A ref, a known id or a family name. By default, the model of the available key. */
  readonly ref?: string | undefined;
  /** The ref of the session's own model, used to resolve family names. */
  readonly current?: string | undefined;
  readonly env: ProviderEnv;
  readonly overrides?: ModelOverrides | undefined;
  readonly retry?: Omit<RetryOptions, "gate" | "clock" | "random"> | undefined;
  /** One registry for the whole program, so that clients of one account share a gate. */
  readonly gates: GateRegistry;
  readonly clock: Clock;
  readonly random: () => number;
  /** The base folder of a relative script file. */
  readonly cwd?: string | undefined;
  readonly fetch?: Fetch;
}

/** Creates a model client with retry and the account's gate. Loads only the code of its provider. */
export async function createModel(spec: ModelSpec): Promise<ModelClient> {
  const model = resolveModel(spec.ref ?? defaultModel(spec.env), {
    overrides: spec.overrides,
    current: spec.current ?? defaultRef(spec.env),
  });
  const connect = connections[model.provider];
  const { attempts, account, stallMs } = await connect(model, spec);
  return withRetry(attempts, {
    ...spec.retry,
    stallMs: spec.retry?.stallMs ?? stallMs,
    clock: spec.clock,
    random: spec.random,
    gate: spec.gates.gateFor(account),
  });
}

/** Returns the model to use when none is named: it depends on the available key. */
export function defaultModel(env: ProviderEnv): string {
  const ref = defaultRef(env);
  if (ref === undefined) throw noModel();
  return resolveModel("sonnet", { current: ref }).ref;
}

const defaultRef = (env: ProviderEnv) => {
  if (env.anthropicKey || env.anthropicAuthToken) return "anthropic/-";
  return env.openaiKey ? "openai/-" : undefined;
};

interface Connection {
  readonly attempts: AttemptModel;
  readonly account: Parameters<GateRegistry["gateFor"]>[0];
  readonly stallMs?: number;
}

const connections: Record<ModelRef["provider"], (model: ModelRef, spec: ModelSpec) => Promise<Connection>> = {
  async anthropic(model, spec) {
    const { anthropicKey: apiKey, anthropicAuthToken: authToken, anthropicBaseUrl } = spec.env;
    const secret = usable(
      apiKey || authToken,
      !apiKey && authToken ? "ANTHROPIC_AUTH_TOKEN" : keyVariables.anthropic,
      model,
    );
    const endpoint = endpointOf(model, anthropicBaseUrl ?? "https://api.anthropic.com", secret);
    const credential = apiKey ? { apiKey: secret } : { authToken: secret };
    const { createAnthropic } = await import("./anthropic/create-anthropic.ts");
    return { attempts: createAnthropic({ ...common(spec, model), endpoint, credential }), account: endpoint };
  },
  async openai(model, spec) {
    const secret = usable(spec.env.openaiKey, keyVariables.openai, model);
    const endpoint = endpointOf(model, spec.env.openaiBaseUrl ?? "https://api.openai.com/v1", secret);
    const { createOpenAi } = await import("./openai/create-openai.ts");
    return { attempts: createOpenAi({ ...common(spec, model), endpoint }), account: endpoint };
  },
  async local(model, spec) {
    const secret = spec.env.localKey ? usable(spec.env.localKey, keyVariables.local, model) : undefined;
    const endpoint = endpointOf(model, spec.env.localBaseUrl ?? "http://127.0.0.1:11434/v1", secret);
    const { createOpenAi } = await import("./openai/create-openai.ts");
    return {
      attempts: createOpenAi({ ...common(spec, model), endpoint }),
      account: { ...endpoint, limits: localLimits },
      // A local server reads the prompt at the machine's speed and sends nothing until it has finished.
      stallMs: 300_000,
    };
  },
  async scripted(model, spec) {
    const { loadScriptedModel } = await import("./scripted/index.ts");
    const script = await loadScriptedModel(model.id, {
      clock: spec.clock,
      ...(spec.cwd !== undefined && { cwd: spec.cwd }),
    });
    const attempts: AttemptModel = {
      ref: script.ref,
      contextWindow: script.contextWindow,
      maxOutputTokens: script.maxOutputTokens,
      attempt: (request, { signal }) => script.stream(request, signal),
    };
    // A script cannot stall: there is no network in between.
    return { attempts, account: { baseUrl: model.ref, limits: scriptedLimits }, stallMs: 0 };
  },
};

const common = (spec: ModelSpec, model: ModelRef) => ({
  facts: factsOf(model, spec.overrides),
  clock: spec.clock,
  random: spec.random,
  fetch: spec.fetch ?? ((input, init) => fetch(input, init)),
});

function endpointOf({ provider, id }: ModelRef, baseUrl: string, secret: string | undefined): Endpoint {
  if (provider === "scripted") throw new Error("a script has no endpoint");
  const protocol = URL.canParse(baseUrl) ? new URL(baseUrl).protocol : "";
  if (protocol !== "http:" && protocol !== "https:")
    throw new TroupeError(
      "settings",
      `The base URL "${baseUrl}" for ${provider}/ is not an http(s) URL. Correct it in the environment or the settings.`,
    );
  return { provider, baseUrl: baseUrl.replace(/\/+$/, ""), model: id, secret };
}

/** Returns a key that can be sent. A blank or line break in it would fail later and show the key. */
function usable(key: string | undefined, variable: string, model: ModelRef): string {
  const trimmed = key?.trim() ?? "";
  if (trimmed === "")
    throw new TroupeError("no_model", `${model.ref} needs ${variable}. Set it, or use another model. ${otherModels}`);
  if (!/^[\x21-\x7e]+$/.test(trimmed))
    throw new TroupeError("no_model", `${variable} contains characters that no key has. Copy the key again.`);
  return trimmed;
}

const noModel = (): TroupeError =>
  new TroupeError("no_model", `No model is configured. Set ANTHROPIC_API_KEY or OPENAI_API_KEY. ${otherModels}`);

const otherModels =
  "A local server works too (--model local/NAME, with its URL in TROUPE_LOCAL_BASE_URL), and 'troupe demo' shows a session without a model.";
