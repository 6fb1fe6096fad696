import { createHash, type Hash } from "node:crypto";
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
  /**
   * Returns a file of the program, with V8's cached code for it. V8 runs damaged code as it is, so code is returned only
   * if its digest, which includes the source, is right.
   */
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
 * write the cache again. Each kind of command has its own cache. A start that crashed takes its cache with it.
 */
export function openCodeCache(entry: string, args: readonly string[]): CodeCache {
  const { size, mtimeMs } = statSync(entry);
  const usage = process.env["TROUPE_HOME"];
  // The settings reject a relative home later, with an error. Until then no code is read from it.
  const home = usage ? (isAbsolute(usage) ? usage : undefined) : join(homedir(), ".troupe");
  const all = home && join(home, "cache");
  const build = `${process.version}-${process.arch}-${size}-${Math.round(mtimeMs)}`;
  const folder = all && join(all, build);
  const isUsable = all !== undefined && folder !== undefined && isOurs(all) && isOurs(folder) && !crashedBefore(folder);
  if (isUsable) markStart(folder);
  const fileOf = (file: string) => `${basename(file)}.${kindOf(args)}.bin`;
  const made = new Map<string, { readonly recording: number; readonly isNew: boolean; readonly make: () => Buffer }>();
  const recorded = new Map<string, number>();
  /** The hash of each source. A cached file is its digest, the code, and a byte that counts the successful runs. */
  const digests = new Map<string, Hash>();
  const digestOf = (name: string, whole: Buffer) =>
    (digests.get(name) ?? createHash("sha256")).copy().update(whole.subarray(digestBytes)).digest();
  return {
    read(file) {
      const kept = folder && join(folder, fileOf(file));
      const whole = isUsable && kept !== undefined && isOurs(kept) ? readIfPossible(kept) : undefined;
      const bytes = readFileSync(file);
      digests.set(fileOf(file), createHash("sha256").update(bytes));
      const isIntact = whole !== undefined && whole.subarray(0, digestBytes).equals(digestOf(fileOf(file), whole));
      recorded.set(file, isIntact ? (whole.at(-1) ?? 0) : 0);
      return { source: bytes.toString("latin1"), data: isIntact ? whole.subarray(digestBytes, -1) : undefined };
    },
    compiled(file, { isNew, make }) {
      const recording = isNew ? 0 : (recorded.get(file) ?? 0);
      if (isNew || recording < maxRecordings) made.set(fileOf(file), { recording, isNew, make });
    },
    write({ complete }) {
      for (const [name, { isNew }] of made) if (!isNew && !complete) made.delete(name);
      if (made.size === 0 || home === undefined || all === undefined || folder === undefined || !existsSync(home))
        return;
      ifUsable(() => {
        mkdirSync(folder, { mode: 0o700, recursive: true });
        if (!isOurs(all) || !isOurs(folder)) return;
        for (const [name, { recording, make }] of made) {
          const count = Buffer.of(complete ? recording + 1 : recording);
          const whole = Buffer.concat([Buffer.alloc(digestBytes), make(), count]);
          digestOf(name, whole).copy(whole);
          replace(join(folder, name), whole);
        }
        for (const other of readdirSync(all))
          if (other !== build) rmSync(join(all, other), { recursive: true, force: true });
      });
    },
  };
}

const maxRecordings = 2;
const digestBytes = 32;
/** A program that has run this long has started. */
const startMs = 1000;
const startMark = /^start\.(\d+)$/;

/** Marks a start in the folder until the program has run for a while, or ends by itself. */
function markStart(folder: string): void {
  const mark = join(folder, `start.${process.pid}`);
  if (!ifUsable(() => writeFileSync(mark, "", { mode: 0o600 }))) return;
  const started = () => void ifUsable(() => rmSync(mark, { force: true }));
  setTimeout(started, startMs).unref();
  process.once("exit", started);
}

/** Removes the cache if a process died while it started with it. */
function crashedBefore(folder: string): boolean {
  const marks = readdirSync(folder).flatMap((name) => startMark.exec(name)?.[1] ?? []);
  if (!marks.some((pid) => Number(pid) !== process.pid && !isRunning(Number(pid)))) return false;
  ifUsable(() => rmSync(folder, { recursive: true, force: true }));
  return true;
}

/** Undefined for something that is not a readable file: it is compiled again then. */
function readIfPossible(file: string): Buffer | undefined {
  let whole: Buffer | undefined;
  ifUsable(() => (whole = readFileSync(file)));
  return whole;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Returns false if the disk is full or read-only, or another thing is in the place of a file: the start is only slower. */
function ifUsable(change: () => void): boolean {
  try {
    change();
    return true;
  } catch (error) {
    const { code = "", errno } = error as NodeJS.ErrnoException;
    // Node has no error code for an exceeded quota.
    if (!expected.has(code) && errno !== -constants.errno.EDQUOT) throw error;
    return false;
  }
}

const kindOf = (args: readonly string[]) => {
  if (args.includes("-p") || args.includes("--print")) return "print";
  return args[0] === "teammate" ? "teammate" : "other";
};

const expected = new Set(["ENOSPC", "EROFS", "EACCES", "EEXIST", "ENOENT", "ENOTDIR", "ENOTEMPTY", "EISDIR"]);

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
