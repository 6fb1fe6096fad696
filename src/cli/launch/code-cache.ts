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
import { constants, homedir } from "node:os";
import { basename, isAbsolute, join } from "node:path";

export interface CodeCache {
  /** A file of the program, and what V8 made of it the last time; V8 itself refuses what does not fit it. */
  read(file: string): { readonly source: string; readonly data: Buffer | undefined };
  /** A file was compiled, or taken from the cache; `make` gives what V8 has of it by then. */
  compiled(file: string, code: { readonly isNew: boolean; readonly make: () => Buffer }): void;
  /** Keeps what is to be kept, if there is a home to keep it in. `complete`: the program came to a good end. */
  write(run: { readonly complete: boolean }): void;
}

/**
 * Compiled code is executable: it is read only from a folder of the user's own that nobody else can write to, and the
 * home folder is never made just for it.
 *
 * V8 compiles a function when it is first called, so what is kept knows the functions of the run that has made it. A run
 * that ended early knows few: the first `lessons` good ones make it again. Each kind of command has its own.
 */
export function openCodeCache(entry: string, args: readonly string[]): CodeCache {
  const { size, mtimeMs } = statSync(entry);
  const usage = process.env["TROUPE_HOME"];
  // A relative home is refused later on, with words; until then it is nowhere to look for code.
  const home = usage ? (isAbsolute(usage) ? usage : undefined) : join(homedir(), ".troupe");
  const all = home && join(home, "cache");
  const build = `${process.version}-${process.arch}-${size}-${Math.round(mtimeMs)}`;
  const folder = all && join(all, build);
  const isUsable = all !== undefined && folder !== undefined && isOurs(all) && isOurs(folder);
  const fileOf = (file: string) => `${basename(file)}.${kindOf(args)}.bin`;
  const made = new Map<string, { readonly recording: number; readonly isNew: boolean; readonly make: () => Buffer }>();
  const recorded = new Map<string, number>();
  return {
    read(file) {
      const kept = folder && join(folder, fileOf(file));
      const whole = isUsable && kept !== undefined && isOurs(kept) ? readFileSync(kept) : undefined;
      // The last byte counts the lessons.
      recorded.set(file, whole?.at(-1) ?? 0);
      return { source: readFileSync(file, "latin1"), data: whole?.subarray(0, -1) };
    },
    compiled(file, { isNew, make }) {
      const recording = isNew ? 0 : (recorded.get(file) ?? 0);
      if (isNew || recording < maxRecordings) made.set(fileOf(file), { recording, isNew, make });
    },
    write({ complete }) {
      for (const [name, { isNew }] of made) if (!isNew && !complete) made.delete(name);
      if (made.size === 0 || home === undefined || all === undefined || folder === undefined || !existsSync(home))
        return;
      try {
        mkdirSync(folder, { mode: 0o700, recursive: true });
        if (!isOurs(all) || !isOurs(folder)) return;
        for (const [name, { recording, make }] of made)
          replace(join(folder, name), Buffer.concat([make(), Buffer.of(complete ? recording + 1 : recording)]));
        for (const other of readdirSync(all))
          if (other !== build) rmSync(join(all, other), { recursive: true, force: true });
      } catch (error) {
        // A full or read-only disk costs some time at the next start, and nothing else.
        const { code = "", errno } = error as NodeJS.ErrnoException;
        // Node has no name for a used up quota.
        if (!expected.has(code) && errno !== -constants.errno.EDQUOT) throw error;
      }
    },
  };
}

const maxRecordings = 2;

const kindOf = (args: readonly string[]) => {
  if (args.includes("-p") || args.includes("--print")) return "print";
  return args[0] === "teammate" ? "teammate" : "other";
};

const expected = new Set(["ENOSPC", "EROFS", "EACCES", "EEXIST", "ENOENT", "ENOTDIR"]);

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
