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
  /** Returns a file of the program, with V8's cached code for it. V8 rejects cached code that does not match. */
  read(file: string): { readonly source: string; readonly data: Buffer | undefined };
  /**
   * Records that a file was compiled, or loaded from the cache. `make` returns the code that V8 has compiled so far.
   */
  compiled(file: string, code: { readonly isNew: boolean; readonly make: () => Buffer }): void;
  /** Stores the cached code if the home folder exists. `complete` means that the program ended successfully. */
  write(run: { readonly complete: boolean }): void;
}

/**
 * Compiled code is executable. It is read only from a folder that the user owns and no other user can write to. The
 * home folder is never created only for the cache. V8 compiles a function at its first call, so the cache knows only
 * the functions of the run that made it. A run that ended early knows few, so the first `maxRecordings` successful runs
 * write the cache again. Each kind of command has its own cache.
 */
export function openCodeCache(entry: string, args: readonly string[]): CodeCache {
  const { size, mtimeMs } = statSync(entry);
  const usage = process.env["TROUPE_HOME"];
  // The settings reject a relative home later, with an error. Until then no code is read from it.
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
      // The last byte counts the successful runs.
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
        // A full or read-only disk only makes the next start slower.
        const { code = "", errno } = error as NodeJS.ErrnoException;
        // Node has no error code for an exceeded quota.
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
    rmSync(part, { force: true }); // Half a file would only use the remaining space.
    throw error;
  }
}

function isOurs(path: string): boolean {
  try {
    const stat = lstatSync(path);
    return !stat.isSymbolicLink() && stat.uid === process.getuid?.() && (stat.mode & 0o022) === 0;
  } catch (error) {
    // Commands that need the home folder report what is wrong with it, for example that it is a file.
    if (["ENOENT", "ENOTDIR", "EACCES", "ELOOP"].includes((error as NodeJS.ErrnoException).code ?? "")) return false;
    throw error;
  }
}
