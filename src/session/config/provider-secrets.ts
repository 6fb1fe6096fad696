import type { Config } from "./load-config.ts";

/** Returns the values that must never be written anywhere. */
export function providerSecrets({ providerEnv }: Config): string[] {
  const { anthropicKey, anthropicAuthToken, openaiKey, localKey } = providerEnv;
  return [anthropicKey, anthropicAuthToken, openaiKey, localKey].filter((key) => key !== undefined);
}
