import { systemClock, withTimeLimit } from "../../../platform/index.ts";
import type { Bus } from "./bus.ts";

export interface ServerCheck {
  readonly name: string;
  readonly version: string;
  readonly cluster?: string;
  /** How often it syncs to disk, if it says so. */
  readonly sync: string;
  /** Risks, for people. */
  readonly warnings: readonly string[];
}

/** Reads the server's facts and derives what they mean for acknowledged data. */
export async function checkServer(bus: Bus): Promise<ServerCheck> {
  const { version = "unknown", server_name: name = "", cluster } = bus.connection.info ?? {};
  const warnings: string[] = [];
  const sync = await syncSetting(bus);
  if (bus.connection.info?.jetstream !== true)
    warnings.push(`The server at ${bus.where} has no JetStream and cannot store anything. Start it with -js.`);
  if (isOlder(version, [2, 9, 0]))
    warnings.push(`nats-server ${version} is older than 2.9, the first version known to work.`);
  else if (!isOlder(version, [2, 10, 0]) && isOlder(version, [2, 10, 23]))
    warnings.push(`nats-server ${version} can lose whole streams when it is killed. Use 2.10.23 or later.`);
  if (sync !== "always") warnings.push(riskOf(version, sync));
  return { name, version, ...(cluster !== undefined && { cluster }), sync, warnings };
}

function riskOf(version: string, sync: string): string {
  const what =
    "data acknowledged in the last moments (by default up to 2 minutes) can be lost when its machine loses power. A crash of the server alone loses nothing.";
  if (isOlder(version, [2, 10, 0]))
    return `nats-server ${version} does not sync before it acknowledges, and has no option for it: ${what}`;
  if (sync === "unknown")
    return `nats-server ${version} does not show whether it syncs before it acknowledges. Unless it has sync_interval: always in its jetstream block, ${what}`;
  return `nats-server ${version} syncs every ${sync}: ${what} Set sync_interval: always in its jetstream block.`;
}

/** Newer servers report it to users of the system account, and on their monitoring port. */
async function syncSetting(bus: Bus): Promise<string> {
  const port = Number(new URL(`nats://${bus.connection.getServer()}`).port);
  const host = new URL(`nats://${bus.connection.getServer()}`).hostname;
  for (const monitor of new Set([8222, port + 4000])) {
    const found = await askMonitor(`http://${host}:${monitor}/varz`, bus.connection.info?.server_id ?? "");
    if (found !== undefined) return found;
  }
  return "unknown";
}

async function askMonitor(url: string, serverId: string): Promise<string | undefined> {
  try {
    const answer = await withTimeLimit(
      systemClock,
      500,
      async (signal) => (await (await fetch(url, { signal })).json()) as Varz,
    );
    if (answer.server_id !== serverId) return undefined;
    const config = answer.jetstream?.config;
    if (config?.sync_always === true) return "always";
    return typeof config?.sync_interval === "number" ? `${config.sync_interval / 1e9} s` : undefined;
  } catch {
    // Most servers have no such port; the setting is then reported as unknown.
    return undefined;
  }
}

interface Varz {
  readonly server_id?: unknown;
  readonly jetstream?: { readonly config?: { readonly sync_always?: unknown; readonly sync_interval?: unknown } };
}

function isOlder(version: string, than: readonly [number, number, number]): boolean {
  const parts = version.split(/[.-]/).map(Number);
  for (const [index, least] of than.entries()) {
    const part = parts[index] ?? 0;
    if (part !== least) return part < least;
  }
  return false;
}
