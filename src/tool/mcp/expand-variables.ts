import type { McpServerConfig } from "./server-config.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Expands `${NAME}` and `${NAME:-default}` in the texts of a server. Lists each unset name once. */
export function expandVariables(
  config: McpServerConfig,
  env: Environment,
): { readonly config: McpServerConfig; readonly missing: readonly string[] } {
  const missing = new Set<string>();
  const fill = (text: string): string =>
    text.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g, (_whole, name: string, otherwise?: string) => {
      const value = env[name];
      if (value !== undefined && (value !== "" || otherwise === undefined)) return value;
      if (otherwise === undefined) missing.add(name);
      return otherwise ?? "";
    });
  const fillAll = (texts: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(texts).map(([key, value]) => [key, fill(value)]));
  const filled: McpServerConfig =
    config.type === "stdio"
      ? {
          ...config,
          command: fill(config.command),
          args: config.args.map(fill),
          env: fillAll(config.env),
          ...(config.cwd !== undefined && { cwd: fill(config.cwd) }),
        }
      : { ...config, url: fill(config.url), headers: fillAll(config.headers) };
  return { config: filled, missing: [...missing] };
}
