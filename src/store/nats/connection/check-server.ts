import type { Bus } from "./bus.ts";

export interface ServerCheck {
  readonly name: string;
  readonly version: string;
  readonly cluster?: string;
  /** How often it writes to its disk for good, where it says so. */
  readonly sync: string;
  /** What is at risk, for people. */
  readonly warnings: readonly string[];
}

/** What the server says of itself, and what that means for what it acknowledges. */
export async function checkServer(bus: Bus): Promise<ServerCheck> {
  const { version = "unknown", server_name: name = "", cluster } = bus.connection.info ?? {};
  const warnings: string[] = [];
  const sync = await syncSetting(bus);
  if (bus.connection.info?.jetstream !== true)
    warnings.push(`The server at ${bus.where} has no JetStream: nothing can be kept there. Start it with -js.`);
  if (isOlder(version, [2, 9, 0]))
    warnings.push(`nats-server ${version} is older than 2.9, the first that is known to work.`);
  else if (!isOlder(version, [2, 10, 0]) && isOlder(version, [2, 10, 23]))
    warnings.push(`nats-server ${version} can forget whole streams when it is killed: use 2.10.23 or later.`);
  if (sync !== "always") warnings.push(riskOf(version, sync));
  return { name, version, ...(cluster !== undefined && { cluster }), sync, warnings };
}

function riskOf(version: string, sync: string): string {
  const what =
    "what it has acknowledged in the last moments (up to 2 minutes if nothing else is set) can be lost when its machine loses power. The death of the server alone loses nothing.";
  if (isOlder(version, [2, 10, 0]))
    return `nats-server ${version} does not sync before it acknowledges, and cannot be told to: ${what}`;
  if (sync === "unknown")
    return `Whether nats-server ${version} syncs before it acknowledges cannot be seen from here. Unless it has sync_interval: always in its jetstream block, ${what}`;
  return `nats-server ${version} syncs every ${sync}: ${what} Set sync_interval: always in its jetstream block.`;
}

/** Servers of the newer kind tell it to who may ask for the account of the system, and on their monitoring port. */
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
    const answer = (await (await fetch(url, { signal: AbortSignal.timeout(500) })).json()) as Varz;
    if (answer.server_id !== serverId) return undefined;
    const config = answer.jetstream?.config;
    if (config?.sync_always === true) return "always";
    return typeof config?.sync_interval === "number" ? `${config.sync_interval / 1e9} s` : undefined;
  } catch {
    // Most servers have no such port: then it is not known, and is said to be.
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
