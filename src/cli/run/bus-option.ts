import { TroupeError } from "../../protocol/index.ts";

export const busOptionHelp = "of teams that are there and not in files: nats://host:4222";

/** For `--bus`: what is said there holds for this process and for those it starts, as if the variable had been set. */
export function setBusEnv(url: string): string {
  // A variable that was not set, in a script: teams in files are not what was meant.
  if (url.trim() === "")
    throw new TroupeError("usage", "--bus is empty: give an address, such as nats://host:4222, or leave it out");
  process.env["TROUPE_BUS"] = url;
  return url;
}
