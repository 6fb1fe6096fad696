import { resolve } from "node:path";
import { type BusSettings, TroupeError } from "../../protocol/index.ts";
import type { BusAddress } from "../../store/index.ts";

interface BusSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly userHome: string;
  /** The value of `--bus`. */
  readonly flag?: string | undefined;
}

/**
 * Returns the address of the bus from `--bus`, from `TROUPE_BUS` or from the settings. Undefined if teams are
 * stored on this machine.
 */
export function busConfig(
  { servers = [], credentialsFile, tls, leaseMs, workerWaitMs, leadWaitMs }: BusSettings,
  { env, userHome, flag }: BusSources,
): BusAddress | undefined {
  // A script with an unset variable must not use teams in files by accident.
  if (flag?.trim() === "")
    throw new TroupeError("usage", "--bus is empty. Give a URL such as nats://host:4222, or remove --bus.");
  const configured = (flag ?? env["TROUPE_BUS"] ?? "")
    .split(",")
    .flatMap((each) => (each.trim() === "" ? [] : [each.trim()]));
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
