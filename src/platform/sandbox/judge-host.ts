import { BlockList, isIP } from "node:net";
import { TroupeError } from "../../protocol/index.ts";

/** A host that sandboxed commands may reach: its full name and the ports. */
export interface AllowedHost {
  readonly host: string;
  readonly ports: readonly number[];
}

const usualPorts = [80, 443];

/** Parses `packages.example.org`, `localhost:8080`, `[::1]:80`. Patterns are not supported: every host is named. */
export function parseAllowedHost(text: string): AllowedHost {
  const { host, port } = parseAuthority(text.trim()) ?? {};
  if (host !== undefined) return { host, ports: port === undefined ? usualPorts : [port] };
  throw new TroupeError(
    "settings",
    `sandbox.network.allow: ${JSON.stringify(text)} is not a host: write its full name, such as packages.example.org or localhost:8080`,
  );
}

export type HostVerdict =
  | { readonly ok: true; readonly host: string; readonly port: number; readonly mayBeLocal: boolean }
  /** `unlisted`: a valid host that is only missing from the list. */
  | { readonly ok: false; readonly reason: string; readonly unlisted?: string };

/** `authority` is `host:port` as sent by a client. Anything that is not a valid host name is refused. */
export function judgeHost(authority: string, allowed: readonly AllowedHost[]): HostVerdict {
  const { host, port } = parseAuthority(authority) ?? {};
  if (host === undefined || port === undefined) return { ok: false, reason: "this is not a host name with a port" };
  const found = allowed.some((entry) => entry.host === host && entry.ports.includes(port));
  const unlisted = isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`;
  if (!found) return { ok: false, reason: `${unlisted} is not in sandbox.network.allow`, unlisted };
  return { ok: true, host, port, mayBeLocal: isIP(host) !== 0 || host === "localhost" };
}

const label = "[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?";
const authorityPattern = new RegExp(`^(?:(${label}(?:\\.${label})*)|\\[([0-9a-f:]{2,39})\\])(?::([1-9]\\d{0,4}))?$`);

/** Accepts lower case and whole labels; no trailing dot, escapes, user name or non-ASCII characters. */
function parseAuthority(text: string): { host: string; port: number | undefined } | undefined {
  const [, name, address, port] = authorityPattern.exec(text.toLowerCase()) ?? [];
  const host = name ?? (address !== undefined && isIP(address) === 6 ? address : undefined);
  if (host === undefined || host.length > 253 || Number(port ?? 1) > 65_535) return undefined;
  return { host, port: port === undefined ? undefined : Number(port) };
}

/**
 * True for addresses that an allowed name must not resolve to: this machine, its link-local neighbours, and cloud
 * metadata services. To reach one, the user lists the address itself.
 */
export function isForbiddenAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 0) return true;
  return family === 4 ? special4.check(address, "ipv4") : special6.check(address, "ipv6");
}

/** Two lists: in a single list, an IPv6 range that maps IPv4 would match every IPv4 address. */
const special4 = new BlockList();
const special6 = new BlockList();
for (const [network, prefix] of [
  ["0.0.0.0", 8],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["100.64.0.0", 10],
  ["192.0.0.0", 24],
  ["198.18.0.0", 15],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
] as const) {
  special4.addSubnet(network, prefix, "ipv4");
}
for (const [network, prefix] of [
  ["::", 96],
  ["::ffff:0:0", 96],
  ["64:ff9b::", 96],
  ["2002::", 16],
  ["fd00:ec2::", 32],
  ["fe80::", 10],
  ["ff00::", 8],
] as const) {
  special6.addSubnet(network, prefix, "ipv6");
}
