import { closeSync, constants, fdatasync, fstatSync, openSync, type Stats, lstatSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { TroupeError } from "../../protocol/index.ts";
import { createUnawaitedWork } from "./unawaited-work.ts";
import { jsonOf, sealLine } from "./line-codec.ts";
import { storageError } from "./storage-error.ts";
import { syncFolder } from "./sync-folder.ts";
import { createFsyncBatcher, type FsyncBatcher } from "./fsync-batcher.ts";

/**
 * One of any number of writers of a line file that its reader may rename at any time. A record counts if the path still
 * leads to its file after the write. Otherwise it is written again into the new file, so readers must drop duplicates.
 * Opens with the first append and closes after a time without appends.
 */
export interface RotatableLogFile {
  readonly path: string;
  /**
   * Appends in one write, in the order of the calls. `process`: survives the death of any process. `soon`: also
   * survives a power cut after at most a second. `disk`: survives a power cut at once; concurrent appends share one
   * sync. Rejects with `storage` if it may not survive; after a failed sync the record may still be read.
   */
  append(record: unknown, durability: Durability): Promise<void>;
  /** Like `append`, for a record that is already JSON. */
  appendJson(json: string, durability: Durability): Promise<void>;
  close(): Promise<void>;
}

export type Durability = "process" | "soon" | "disk";

export interface RotatableLogFileOptions {
  /** Called when the file cannot be created because its folder is missing. Throws if the folder cannot be created. */
  readonly makeFolder?: () => void;
  /**
   * Called at once when something fails after an append has resolved. The next append or `close` also rejects with it.
   */
  readonly onFailure?: (message: string) => void;
}

export function openRotatableLogFile(path: string, options: RotatableLogFileOptions = {}): RotatableLogFile {
  let handle: Handle | undefined;
  let isClosed = false;
  /** The folder itself may not be on disk in its parent yet, whichever process created it. */
  let isFolderMade = options.makeFolder !== undefined;
  /** Syncs and closes files that were renamed. */
  const background = createUnawaitedWork(options.onFailure);

  const append = async (record: unknown, durability: Durability): Promise<void> =>
    appendJson(toJson(path, record), durability);

  // Everything up to the write is synchronous, so that records are stored in the order of the calls. It is one function
  // and not async: every mail passes through it, and a new process spends more time compiling this path than running
  // it.
  const appendJson = (json: string, durability: Durability): Promise<void> => {
    if (isClosed) return Promise.reject(new Error(`${path} is closed`));
    let doing = "write to";
    try {
      background.throwFailure();
      const line = sealLine(json);
      const length = Buffer.byteLength(line);
      for (;;) {
        const target = (handle ??= openHandle());
        doing = "write to";
        if (writeSync(target.fd, line) < length) writeAgain(target.fd, { line, length });
        doing = "find";
        const there = lstatSync(path, orUndefined);
        if (
          there?.ino === target.ino &&
          there.dev === target.dev &&
          (hasExactNumber(there) || isAtPath(path, target.fd))
        ) {
          if (durability === "disk") return target.syncs.sync();
          if (durability === "soon") target.isDirty = true;
          if (target.timer === undefined) tick(target);
          return done;
        }
        leave(target);
      }
    } catch (error) {
      return Promise.reject(TroupeError.is(error) ? error : storageError(doing, path, error));
    }
  };

  const makeFolder =
    options.makeFolder &&
    (() => {
      options.makeFolder?.();
      isFolderMade = true;
    });

  const openHandle = (): Handle => {
    const fd = openForAppend(path, makeFolder);
    const { dev, ino } = identify(path, fd);
    const target: Handle = { fd, dev, ino, isDirty: false, syncs: createFsyncBatcher(() => syncOnce(target)) };
    return target;
  };

  const syncOnce = async (target: Handle) => {
    if (target.failure !== undefined) throw target.failure;
    target.isDirty = false;
    try {
      await promisify(fdatasync)(target.fd);
      // Needed once, whichever process created the file: that process may have been killed before it could sync.
      if (!target.isFolderSynced) await syncFolder(dirname(path));
      target.isFolderSynced = true;
      if (isFolderMade) await syncFolder(dirname(dirname(path)));
      isFolderMade = false;
    } catch (error) {
      // After a failed sync the kernel considers the pages clean: another sync of the same descriptor would falsely
      // succeed.
      target.failure = storageError("sync", path, error);
      leave(target);
      throw target.failure;
    }
  };

  /** Syncs the records appended with `soon`. Closes the descriptor when there is nothing left to sync. */
  const tick = (target: Handle) => {
    target.timer ??= setTimeout(() => {
      target.timer = undefined;
      if (!target.isDirty) return leave(target);
      target.syncs.sync().then(() => tick(target), background.fail);
    }, syncSoonMs).unref();
  };

  const leave = (target: Handle) => {
    if (handle === target) handle = undefined;
    if (target.isRetired) return;
    target.isRetired = true;
    background.run(retire(target));
  };

  /** Closes a descriptor only when no sync uses it: otherwise the number may already belong to another file. */
  const retire = async (target: Handle) => {
    clearTimeout(target.timer);
    try {
      if (target.isDirty && target.failure === undefined) await target.syncs.sync();
    } finally {
      await target.syncs.idle();
      release(path, target.fd);
    }
  };

  const close = async () => {
    if (isClosed) return;
    isClosed = true;
    if (handle !== undefined) leave(handle);
    await background.settled();
    background.throwFailure();
  };

  return { path, append, appendJson, close };
}

interface Handle {
  readonly fd: number;
  readonly dev: number;
  readonly ino: number;
  readonly syncs: FsyncBatcher;
  /** Contains unsynced records appended with `soon`. */
  isDirty: boolean;
  isFolderSynced?: boolean;
  isRetired?: boolean;
  timer?: NodeJS.Timeout | undefined;
  failure?: unknown;
}

const syncSoonMs = 500;

const done = Promise.resolve();

function toJson(path: string, record: unknown): string {
  try {
    return jsonOf(record);
  } catch (error) {
    throw storageError("write to", path, error);
  }
}

/** A write at the point where it stopped could follow another writer's record. Readers skip the torn piece. */
function writeAgain(fd: number, { line, length }: { line: string; length: number }): void {
  const written = writeSync(fd, line);
  if (written === length) return;
  const short = new Error(`only ${written} of ${length} bytes were written`);
  throw Object.assign(short, { code: "ENOSPC" });
}

function release(path: string, fd: number): void {
  try {
    closeSync(fd);
  } catch (error) {
    throw storageError("close", path, error);
  }
}

function identify(path: string, fd: number): Stats {
  try {
    return fstatSync(fd);
  } catch (error) {
    closeSync(fd);
    throw storageError("open", path, error);
  }
}

const orUndefined = { throwIfNoEntry: false } as const;

/** Some file systems have inode numbers that a double cannot represent exactly. */
const hasExactNumber = ({ ino }: Stats) => ino <= Number.MAX_SAFE_INTEGER;

const isAtPath = (path: string, fd: number) =>
  lstatSync(path, { bigint: true, throwIfNoEntry: false })?.ino === fstatSync(fd, { bigint: true }).ino;

function openForAppend(path: string, makeFolder: (() => void) | undefined): number {
  const flags = constants.O_APPEND | constants.O_WRONLY | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);
  try {
    return openSync(path, flags, 0o600);
  } catch (error) {
    const isFolderMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    if (!isFolderMissing || makeFolder === undefined) throw storageError("open", path, error);
  }
  makeFolder();
  try {
    return openSync(path, flags, 0o600);
  } catch (error) {
    throw storageError("open", path, error);
  }
}
