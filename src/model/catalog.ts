import { nearestName } from "../platform/index.ts";
import { TroupeError } from "../protocol/index.ts";
import { familyAliases, type KnownModel, knownModels, type Price } from "./known-models.ts";

const providers = ["anthropic", "openai", "local", "scripted"] as const;
export type Provider = (typeof providers)[number];

export interface ModelRef {
  readonly provider: Provider;
  readonly id: string;
  /** `provider/id`. */
  readonly ref: string;
}

/** The settings about models: aliases, and facts of single models by ref. */
export interface ModelOverrides {
  readonly aliases?: Readonly<Record<string, string>> | undefined;
  readonly models?: Readonly<Record<string, ModelOverride>> | undefined;
}
export interface ModelOverride {
  readonly contextWindow?: number | undefined;
  readonly maxOutputTokens?: number | undefined;
  readonly price?: Price | undefined;
}

export interface ResolveOptions {
  readonly overrides?: ModelOverrides | undefined;
  /**
   * The ref in use. A family name selects this provider's model. With a provider that has no families it selects this
   * ref.
   */
  readonly current?: string | undefined;
}

/** Resolves a name from a user or a definition to one model. */
export function resolveModel(name: string, { overrides, current }: ResolveOptions = {}): ModelRef {
  const wanted = name.trim();
  const aliases = overrides?.aliases ?? {};
  const alias = Object.hasOwn(aliases, wanted) ? aliases[wanted] : undefined;
  const parsed = parseRef(alias ?? wanted);
  if (parsed) return parsed;
  const family = familyOf(alias ?? wanted);
  if (family) {
    const base = current === undefined ? undefined : parseRef(current);
    if (base?.provider === "local" || base?.provider === "scripted") return base;
    return refOf(family[base?.provider ?? "anthropic"]);
  }
  for (const provider of ["anthropic", "openai"] as const)
    if (knownModels[`${provider}/${wanted}`]) return refOf(`${provider}/${wanted}`);
  throw unknownModel(wanted, overrides);
}

export function parseRef(text: string): ModelRef | undefined {
  const slash = text.indexOf("/");
  const provider = providers.find((known) => known === text.slice(0, slash));
  return provider && slash < text.length - 1 ? { provider, id: text.slice(slash + 1), ref: text } : undefined;
}

function refOf(ref: string): ModelRef {
  const parsed = parseRef(ref);
  if (!parsed) throw new Error(`not a model ref: ${ref}`);
  return parsed;
}

const familyOf = (name: string) =>
  Object.hasOwn(familyAliases, name) ? familyAliases[name as keyof typeof familyAliases] : undefined;

function unknownModel(name: string, overrides: ModelOverrides | undefined): TroupeError {
  const near = suggestModel(name, Object.keys(overrides?.aliases ?? {}));
  const hint = near ? ` Did you mean ${near}?` : "";
  const forms = "anthropic/…, openai/…, local/NAME, scripted/FILE, or opus, sonnet, haiku";
  return new TroupeError(
    "unknown_model",
    `Unknown model "${name}".${hint} Use ${forms} (--model or "model" in the settings).`,
  );
}

/** Returns the known name closest to a mistyped one. */
export function suggestModel(name: string, further: readonly string[] = []): string | undefined {
  const refs = Object.keys(knownModels);
  const candidates = name.includes("/")
    ? refs
    : [...Object.keys(familyAliases), ...further, ...refs.map((ref) => ref.slice(ref.indexOf("/") + 1))];
  return nearestName(name, candidates);
}

export interface ModelFacts {
  readonly contextWindow: number;
  readonly maxOutputTokens: number;
  readonly thinking: KnownModel["thinking"];
}

/** Returns a model's limits: from the settings, else from the known models, else a safe default for its provider. */
export function factsOf({ provider, ref }: ModelRef, overrides?: ModelOverrides): ModelFacts {
  const known = knownModels[ref] ?? assumed[provider];
  const said = overrides?.models?.[ref];
  return {
    contextWindow: said?.contextWindow ?? known.contextWindow,
    maxOutputTokens: said?.maxOutputTokens ?? known.maxOutputTokens,
    thinking: known.thinking,
  };
}

const assumed: Readonly<Record<Provider, KnownModel>> = {
  anthropic: { contextWindow: 200_000, maxOutputTokens: 32_000, thinking: "effort" },
  openai: { contextWindow: 128_000, maxOutputTokens: 16_384, thinking: "none" },
  local: { contextWindow: 32_768, maxOutputTokens: 8_192, thinking: "none" },
  scripted: { contextWindow: 200_000, maxOutputTokens: 32_000, thinking: "none" },
};
