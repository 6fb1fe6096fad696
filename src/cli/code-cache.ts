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
import { basename, isAbsolute, join } from "node:path";

export interface CodeCache {
  /** A file of the program, and what V8 made of it the last time; V8 itself refuses what does not fit it. */
  read(file: string): { readonly source: string; readonly data: Buffer | undefined };
  /** To be kept for the next time. */
  keep(file: string, make: () => Buffer): void;
  /** Keeps it, if there is a home to keep it in. */
  write(): void;
}

/**
 * Compiled code is executable: it is read only from a folder of the user's own that nobody else can write to, and the
 * home folder is never made just for it.
 */
export function openCodeCache(entry: string): CodeCache {
  const { size, mtimeMs } = statSync(entry);
  const said = process.env["TROUPE_HOME"];
  // A relative home is refused later on, with words; until then it is nowhere to look for code.
  const home = said ? (isAbsolute(said) ? said : undefined) : join(homedir(), ".troupe");
  const all = home && join(home, "cache");
  const build = `${process.version}-${process.arch}-${size}-${Math.round(mtimeMs)}`;
  const folder = all && join(all, build);
  const isUsable = all !== undefined && folder !== undefined && isOurs(all) && isOurs(folder);
  const made = new Map<string, () => Buffer>();
  return {
    read(file) {
      const kept = folder && join(folder, `${basename(file)}.bin`);
      const data = isUsable && kept !== undefined && isOurs(kept) ? readFileSync(kept) : undefined;
      return { source: readFileSync(file, "utf8"), data };
    },
    keep: (file, make) => void made.set(`${basename(file)}.bin`, make),
    write() {
      if (made.size === 0 || home === undefined || all === undefined || folder === undefined || !existsSync(home))
        return;
      try {
        mkdirSync(folder, { mode: 0o700, recursive: true });
        if (!isOurs(all) || !isOurs(folder)) return;
        for (const [name, make] of made) replace(join(folder, name), make());
        for (const other of readdirSync(all))
          if (other !== build) rmSync(join(all, other), { recursive: true, force: true });
      } catch (error) {
        // A full or read-only disk costs some time at the next start, and nothing else.
        if (!expected.has((error as NodeJS.ErrnoException).code ?? "")) throw error;
      }
    },
  };
}

const expected = new Set(["ENOSPC", "EDQUOT", "EROFS", "EACCES", "EEXIST", "ENOENT", "ENOTDIR"]);

function replace(file: string, data: Buffer): void {
  const part = `${file}.${process.pid}`;
  try {
    writeFileSync(part, data, { mode: 0o600, flag: "wx" });
    renameSync(part, file);
  } catch (error) {
    rmSync(part, { force: true }); // half a file would only take up what space is left
    throw error;
  }
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
