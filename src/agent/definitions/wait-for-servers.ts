import { type Clock, nearestName } from "../../platform/index.ts";

/** The configured servers and their states. */
export interface ServerStates {
  states(): ReadonlyMap<string, "connecting" | "connected" | "reconnecting" | "failed" | "closed">;
}

export type ServersReady = { readonly ok: true } | { readonly ok: false; readonly message: string };

const timeoutMs = 30_000;
const pollEveryMs = 500;

/**
 * Waits until an agent's required servers are connected. Stops waiting if one has failed or does not exist. Rejects
 * with the signal's reason.
 */
export async function waitForServers(
  required: readonly string[],
  servers: ServerStates,
  { clock, signal }: { clock: Clock; signal?: AbortSignal | undefined },
): Promise<ServersReady> {
  const deadline = clock.monotonic() + timeoutMs;
  for (;;) {
    const states = servers.states();
    const missing = required.filter((name) => states.get(name) !== "connected");
    if (missing.length === 0) return { ok: true };
    const failedServers = missing.some((name) => !isStarting.has(states.get(name) ?? ""));
    const left = deadline - clock.monotonic();
    if (failedServers || left <= 0) return { ok: false, message: missingServers(missing, states) };
    await clock.sleep(Math.min(pollEveryMs, left), signal);
  }
}

const isStarting = new Set(["connecting", "reconnecting"]);

function missingServers(missing: readonly string[], states: ReturnType<ServerStates["states"]>): string {
  const each = missing.map((name) => {
    const state = states.get(name);
    if (state === undefined) {
      const near = nearestName(name, [...states.keys()]);
      return `${name} (not configured${near === undefined ? "" : `; did you mean ${near}?`})`;
    }
    return `${name} (${isStarting.has(state) ? `still ${state} after ${timeoutMs / 1000} s` : state})`;
  });
  const what = missing.length === 1 ? "an MCP server that is" : "MCP servers that are";
  return `This agent needs ${what} not connected: ${each.join(", ")}. Do the task another way, or tell the user which server is missing.`;
}
