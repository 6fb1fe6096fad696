import { resolve } from "node:path";
import * as z from "zod";
import { type Environment, expandVariables, type McpEntry, McpServerConfig } from "../../tool/mcp/index.ts";
import type { Config } from "../config/load-config.ts";
import type { Placed } from "../config/settings/merge-settings.ts";

export interface ConfiguredServer extends McpEntry {
  readonly level: Placed<unknown>["level"];
  readonly disabled: boolean;
  /** As written in the settings. */
  readonly written: unknown;
}

const Servers = z.record(z.string().min(1), z.unknown());

/**
 * Returns the configured servers, each name once: the source with the highest precedence wins. An invalid entry is
 * included with its problem and does not affect the others.
 */
export function readServerEntries(
  config: Pick<Config, "mcpServers" | "childEnv">,
  env: Environment,
): readonly ConfiguredServer[] {
  const servers = new Map<string, ConfiguredServer>();
  for (const place of config.mcpServers) {
    const parsed = Servers.safeParse(place.value);
    if (!parsed.success) {
      const wrong = `${place.source}: mcpServers must be an object of servers by name`;
      servers.set("mcpServers", { ...place, name: "mcpServers", config: wrong, disabled: false, written: place.value });
      continue;
    }
    for (const [name, written] of Object.entries(parsed.data)) {
      // Variables in a repository's file are expanded without the model keys. The user's own files may use them.
      const known = place.level === "project" ? config.childEnv : { ...env, ...config.childEnv };
      if (!servers.has(name)) servers.set(name, { ...entryOf({ name, written, place, env: known }), written });
    }
  }
  return [...servers.values()];
}

interface WrittenServer {
  readonly name: string;
  readonly written: unknown;
  readonly place: Placed<unknown>;
  readonly env: Environment;
}

function entryOf({ name, written, place, env }: WrittenServer): Omit<ConfiguredServer, "written"> {
  const { source, level, folder } = place;
  const entry = { name, source, level };
  const parsed = McpServerConfig.safeParse(written);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where = issue && issue.path.length > 0 ? `${z.core.toDotPath(issue.path)}: ` : "";
    const config = `${source}: mcpServers.${name}: ${where}${issue?.message ?? "not valid"}`;
    return { ...entry, config, disabled: false };
  }
  const disabled = parsed.data.disabled === true;
  const { config, missing } = expandVariables(parsed.data, env);
  if (missing.length > 0) {
    const which = missing.length === 1 ? "is" : "are";
    const reason = `${source}: mcpServers.${name}: ${missing.join(", ")} ${which} not set. Set it, or write \${${missing[0]}:-default}`;
    return { ...entry, config: reason, disabled };
  }
  const placed =
    config.type === "stdio" && config.cwd !== undefined ? { ...config, cwd: resolve(folder, config.cwd) } : config;
  return { ...entry, config: placed, disabled };
}
