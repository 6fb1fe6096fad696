import type { ProviderEnv } from "../../model/index.ts";
import { type Settings, TroupeError } from "../../protocol/index.ts";

export interface ProviderSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly providers: Settings["providers"];
  /**
   * True if a base URL of the settings wins over the environment: it comes from the administrator or the command line.
   */
  readonly isFirm: (provider: "anthropic" | "openai" | "local") => boolean;
}

export function providerEnvironment({ env, providers, isFirm }: ProviderSources): ProviderEnv {
  const text = (name: string): string | undefined => env[name]?.trim() || undefined;
  const url = (provider: "anthropic" | "openai" | "local", variable: string): string | undefined => {
    const said = providers?.[provider]?.baseUrl;
    return isFirm(provider) ? said : (baseUrl(variable, text(variable)) ?? said);
  };
  return {
    anthropicKey: text("ANTHROPIC_API_KEY"),
    anthropicAuthToken: text("ANTHROPIC_AUTH_TOKEN"),
    anthropicBaseUrl: url("anthropic", "ANTHROPIC_BASE_URL"),
    openaiKey: text("OPENAI_API_KEY"),
    openaiBaseUrl: url("openai", "OPENAI_BASE_URL"),
    localBaseUrl: url("local", "TROUPE_LOCAL_BASE_URL"),
    localKey: text("TROUPE_LOCAL_API_KEY"),
  };
}

function baseUrl(variable: string, value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:") return value;
  throw new TroupeError(
    "settings",
    `the environment variable ${variable} must be an http:// or https:// URL. Set it to one, or unset it.`,
  );
}
