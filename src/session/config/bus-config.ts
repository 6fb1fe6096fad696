import { resolve } from "node:path";
import type { BusSettings } from "../../protocol/index.ts";
import type { BusAddress } from "../../store/index.ts";

/**
 * Returns the address of the bus from `TROUPE_BUS`, which `--bus` sets, or from the settings. Undefined if teams are
 * stored on this machine.
 */
export function busConfig(
  { servers = [], credentialsFile, tls, leaseMs, workerWaitMs, leadWaitMs }: BusSettings,
  { env, userHome }: { readonly env: Readonly<Record<string, string | undefined>>; readonly userHome: string },
): BusAddress | undefined {
  const configured = (env["TROUPE_BUS"] ?? "").split(",").flatMap((each) => (each.trim() === "" ? [] : [each.trim()]));
  const all = configured.length > 0 ? configured : [servers].flat();
  if (all.length === 0) return undefined;
  const path = (file: string | undefined) =>
    file === undefined ? undefined : resolve(userHome, file.startsWith("~/") ? file.slice(2) : file);
  return {
    servers: all,
    credentialsFile: path(credentialsFile),
    tls: tls && { caFile: path(tls.caFile), certFile: path(tls.certFile), keyFile: path(tls.keyFile) },
    leaseMs,
    workerWaitMs,
    leadWaitMs,
  };
}
