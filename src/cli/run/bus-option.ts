import { TroupeError } from "../../protocol/index.ts";

export const busOptionHelp = "bus that carries the teams, instead of files: nats://host:4222";

/** Parses `--bus`. The value applies to this process and the processes it starts, as if the variable were set. */
export function setBusEnv(url: string): string {
  // A script with an unset variable must not use teams in files by accident.
  if (url.trim() === "")
    throw new TroupeError("usage", "--bus is empty. Give a URL such as nats://host:4222, or remove --bus.");
  process.env["TROUPE_BUS"] = url;
  return url;
}
