import type { Clock } from "../platform/index.ts";
import { type ModelClient, TroupeError } from "../protocol/index.ts";
import type { AttemptModel } from "./attempt.ts";
import { factsOf, type ModelOverrides, type ModelRef, resolveModel } from "./catalog.ts";
import { type Endpoint, keyVariables } from "./endpoint.ts";
import { type GateRegistry, localLimits, scriptedLimits } from "./gate.ts";
import { type RetryOptions, withRetry } from "./retry.ts";
import type { Fetch } from "./watched-fetch.ts";

/** What the environment and the user's own settings say about providers. Nothing here is read from a repository. */
export interface ProviderEnv {
  readonly anthropicKey?: string | undefined;
  readonly anthropicAuthToken?: string | undefined;
  readonly anthropicBaseUrl?: string | undefined;
  readonly openaiKey?: string | undefined;
  readonly openaiBaseUrl?: string | undefined;
  readonly localBaseUrl?: string | undefined;
  readonly localKey?: string | undefined;
}

export interface ModelSpec {
  /** A ref, a known id or a family name; without one, the model of whichever key there is. */
  readonly ref?: string | undefined;
  /** The ref of the session's own model, by which family names are understood. */
  readonly current?: string | undefined;
  readonly env: ProviderEnv;
  readonly overrides?: ModelOverrides | undefined;
  readonly retry?: Omit<RetryOptions, "gate" | "clock" | "random"> | undefined;
  /** One for the whole program: clients of one account then wait for each other. */
  readonly gates: GateRegistry;
  readonly clock: Clock;
  readonly random: () => number;
  /** Where a relative script file is looked for. */
  readonly cwd?: string | undefined;
  readonly fetch?: Fetch;
}

/** A model to talk to, with retry and the account's gate. Loads the code of the one provider it needs. */
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

/** The model to use when nobody named one: by which key there is. */
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
    const secret = usable(apiKey || authToken, apiKey ? "ANTHROPIC_API_KEY" : "ANTHROPIC_AUTH_TOKEN", model);
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
      // It reads the prompt as fast as the machine can, and says nothing while it does.
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
    // Nothing is between us and a script that could fall silent.
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
      `The base URL "${baseUrl}" for ${provider}/ is not an http(s) address; correct it in the environment or the settings.`,
    );
  return { provider, baseUrl: baseUrl.replace(/\/+$/, ""), model: id, secret };
}

/** A key that can be sent: a blank or a line break in it would only fail later, and show the key. */
function usable(key: string | undefined, variable: string, model: ModelRef): string {
  const trimmed = key?.trim() ?? "";
  if (trimmed === "") throw noModel(`${model.ref} needs ${variable}`);
  if (!/^[\x21-\x7e]+$/.test(trimmed))
    throw new TroupeError("no_model", `${variable} has characters in it that no key has; copy the key again.`);
  return trimmed;
}

function noModel(what = "No model to talk to"): TroupeError {
  return new TroupeError(
    "no_model",
    `${what}. Set ANTHROPIC_API_KEY or OPENAI_API_KEY, use a local server (--model local/NAME, its address in TROUPE_LOCAL_BASE_URL), or watch a session without a model: troupe demo.`,
  );
}
