import type { AgentDefinition } from "../../protocol/index.ts";
import type { Placed } from "../config/settings/merge-settings.ts";

/** Returns the hooks of a definition, for its agents only. Its `Stop` hooks run as `SubagentStop`. */
export function definitionHooks({ hooks, source }: AgentDefinition): Placed<unknown> | undefined {
  if (typeof hooks !== "object" || hooks === null) return undefined;
  const { Stop: stop, SubagentStop: own, ...rest } = hooks as Record<string, unknown>;
  const stops = [stop, own].flatMap((each) => (Array.isArray(each) ? (each as unknown[]) : []));
  const value = { ...rest, ...(stops.length > 0 && { SubagentStop: stops }) };
  return { value, source: source.from, level: source.level === "managed" ? "managed" : "user", folder: "" };
}
