import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { TroupeError } from "../../protocol/index.ts";

/** `TROUPE_HOME`, or `.troupe` in the user's home folder. Not made yet. */
export function homeFolder(env: Readonly<Record<string, string | undefined>>, userHome = userHomeFolder(env)): string {
  const home = env["TROUPE_HOME"] || join(userHome, ".troupe");
  if (isAbsolute(home)) return home;
  // It would be another place in each folder, and one that the folder itself could have filled.
  throw new TroupeError("home", `TROUPE_HOME is ${home}, which is not an absolute path: set it to one, or unset it`);
}

export const userHomeFolder = (env: Readonly<Record<string, string | undefined>>): string => env["HOME"] || homedir();
