import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { TroupeError } from "../../protocol/index.ts";

/** Returns `TROUPE_HOME`, or `.troupe` in the user's home folder. The folder may not exist. */
export function homeFolder(env: Readonly<Record<string, string | undefined>>, userHome = userHomeFolder(env)): string {
  const home = env["TROUPE_HOME"] || join(userHome, ".troupe");
  if (isAbsolute(home)) return home;
  // A relative path would differ in each working directory, and an untrusted folder could provide it.
  throw new TroupeError("home", `TROUPE_HOME must be an absolute path, but is ${home}. Set it to one, or unset it.`);
}

export const userHomeFolder = (env: Readonly<Record<string, string | undefined>>): string => env["HOME"] || homedir();
