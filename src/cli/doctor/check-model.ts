import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { createGateRegistry, createModel } from "../../model/index.ts";
import { systemClock } from "../../platform/index.ts";
import { TroupeError } from "../../protocol/index.ts";
import type { Config } from "../../session/index.ts";
import type { Check, Finding } from "./finding.ts";
import type { Machine } from "./inspect-machine.ts";

const keyNames = {
  ANTHROPIC_API_KEY: "anthropicKey",
  ANTHROPIC_AUTH_TOKEN: "anthropicAuthToken",
  OPENAI_API_KEY: "openaiKey",
  TROUPE_LOCAL_API_KEY: "localKey",
} as const;

/** Reports whether a key is set, never its value. */
export const keys: Check = {
  name: "keys",
  async find({ env, config }) {
    const found = Object.entries(keyNames).flatMap(([variable, field]) =>
      (config ? config.providerEnv[field] : env[variable]?.trim()) ? [variable] : [],
    );
    if (found.length > 0) return [{ status: "ok", detail: `${found.join(", ")} set` }];
    const detail = "none is set: hosted models are not available";
    return [{ status: "missing", detail, advice: "set ANTHROPIC_API_KEY or OPENAI_API_KEY to use one" }];
  },
};

export const baseUrls: Check = {
  name: "base URLs",
  async find({ config }) {
    if (!config) return [];
    const { anthropicBaseUrl, openaiBaseUrl, localBaseUrl } = config.providerEnv;
    const said = Object.entries({ anthropic: anthropicBaseUrl, openai: openaiBaseUrl, local: localBaseUrl }).flatMap(
      ([provider, url]) => (url === undefined ? [] : [`${provider}: ${withoutSecrets(url)}`]),
    );
    return [{ status: "ok", detail: said.length === 0 ? "the providers' defaults" : said.join(", ") }];
  },
};

/** Removes the user name, password and query: they may contain secrets. */
function withoutSecrets(address: string): string {
  if (!URL.canParse(address)) return "(not a URL)";
  const { origin, pathname } = new URL(address);
  return `${origin}${pathname}`;
}

export const model: Check = {
  name: "model",
  async find({ config, configError }: Machine) {
    if (!config) {
      const detail = `unknown: ${configError ?? "the settings cannot be read"}`;
      return [{ status: "problem", detail, advice: "fix the settings first", blocks: true }];
    }
    return [await usable(config)];
  },
};

/** Creates the model as a run would, but sends no request. */
async function usable(config: Config): Promise<Omit<Finding, "name">> {
  const source = config.sources.get("model") ?? "chosen by the key that is set";
  const script = scriptOf(config);
  if (script !== undefined) {
    if (existsSync(resolve(config.cwd, script))) return { status: "ok", detail: `scripted/${script} (${source})` };
    const detail = `scripted/${script} (${source}): file not found`;
    return { status: "problem", detail, advice: "choose another with --model, or correct the settings", blocks: true };
  }
  try {
    const { ref } = await createModel({
      ref: config.model,
      env: config.providerEnv,
      overrides: { aliases: config.aliases, models: config.models },
      gates: createGateRegistry(systemClock),
      clock: systemClock,
      random: Math.random,
      cwd: config.cwd,
    });
    return { status: "ok", detail: `${ref} (${source}); no request was sent` };
  } catch (error) {
    if (!TroupeError.is(error)) throw error;
    return { status: error.code === "no_model" ? "missing" : "problem", detail: error.message, blocks: true };
  }
}

/** A script is code, so doctor only checks that its file exists. */
function scriptOf({ model, aliases }: Config): string | undefined {
  const name = (model && aliases[model]) ?? model;
  return name?.startsWith("scripted/") ? name.slice("scripted/".length) : undefined;
}
