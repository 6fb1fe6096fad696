import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

export interface CodeCache {
  readonly source: string;
  /** What V8 made of the source the last time; V8 itself refuses what does not fit it. */
  readonly data: Buffer | undefined;
  /** Keeps it for the next time, if there is a home to keep it in. */
  keep(make: () => Buffer): void;
}

/**
 * Compiled code is executable: it is read only from a folder of the user's own that nobody else can write to, and the
 * home folder is never made just for it.
 */
export function openCodeCache(file: string): CodeCache {
  const { size, mtimeMs } = statSync(file);
  const given = process.env["TROUPE_HOME"];
  // A relative one is refused later on; until then nothing is loaded from where it leads.
  const home = given && isAbsolute(given) ? given : join(homedir(), ".troupe");
  const folder = join(home, "cache");
  const name = `program-${process.version}-${process.arch}-${size}-${Math.round(mtimeMs)}.bin`;
  return {
    source: readFileSync(file, "utf8"),
    data: isOurs(folder) && isOurs(join(folder, name)) ? readFileSync(join(folder, name)) : undefined,
    keep(make) {
      if (!existsSync(home)) return;
      try {
        mkdirSync(folder, { mode: 0o700, recursive: true });
        if (!isOurs(folder)) return;
        const part = join(folder, `${name}.${process.pid}`);
        writeFileSync(part, make(), { mode: 0o600, flag: "wx" });
        renameSync(part, join(folder, name));
        for (const other of readdirSync(folder)) {
          if (other.startsWith("program-") && other !== name && !other.startsWith(`${name}.`))
            rmSync(join(folder, other), { force: true });
        }
      } catch (error) {
        // A full or read-only disk costs some time at the next start, and nothing else.
        if (
          !["ENOSPC", "EDQUOT", "EROFS", "EACCES", "EEXIST", "ENOENT", "ENOTDIR"].includes(
            (error as NodeJS.ErrnoException).code ?? "",
          )
        )
          throw error;
      }
    },
  };
}

function isOurs(path: string): boolean {
  try {
    const stat = lstatSync(path);
    return !stat.isSymbolicLink() && stat.uid === process.getuid?.() && (stat.mode & 0o022) === 0;
  } catch (error) {
    // Whatever is in the way, a home that is a file for one, is for those to tell who need the home.
    if (["ENOENT", "ENOTDIR", "EACCES", "ELOOP"].includes((error as NodeJS.ErrnoException).code ?? "")) return false;
    throw error;
  }
}
