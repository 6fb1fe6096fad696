import type { ProcessRequest } from "../process/start-process.ts";

/** Runs commands so that they can only do what their walls let them. */
export interface Sandbox {
  /**
   * Tests the sandbox once by running a command, and caches the result. Undefined if commands can run in it, else the
   * reason and what to do.
   */
  problem(): Promise<string | undefined>;
  /**
   * Returns the same program, wrapped to run inside. Call `release` when it has ended. Rejects if `problem` or
   * `wallsProblem` reports one.
   */
  enter(request: ProcessRequest, walls: Walls): Promise<EnteredSandbox>;
  close(): Promise<void>;
}

export interface EnteredSandbox {
  readonly request: ProcessRequest;
  release(): Promise<void>;
}

/** The paths and hosts that one command may touch. Absolute paths. The rest of the disk is read-only. */
export interface Walls {
  /** Real paths. One that has become a link stays read-only: a command may have made it. */
  readonly writable: readonly string[];
  /** Read-only paths inside writable folders. Missing ones cannot be created either. */
  readonly protectedPaths: readonly string[];
  /** Folders inside writable folders that cannot be moved or removed. Their content can be written. */
  readonly pinned?: readonly string[] | undefined;
  /** Files in writable folders that have this content while the command runs, if they are missing. It cannot change them. */
  readonly kept?: ReadonlyMap<string, string> | undefined;
  /**
   * Lock files that a command can make and remove in folders that it cannot write. On Linux no other program sees them, nor
   * any other new file beside them.
   */
  readonly locks?: readonly string[] | undefined;
  /** Paths that cannot be read at all. */
  readonly hidden: readonly string[];
  /** Readable paths inside hidden folders, and in /tmp, which is otherwise private. */
  readonly readable: readonly string[];
  /** Files that show other content. */
  readonly replaced?: ReadonlyMap<string, string> | undefined;
  /** `hosts`: the listed hosts, through the proxy. */
  readonly network: "none" | "hosts" | "all";
}

export interface SandboxOptions {
  /** Hosts that can be reached through the proxy. */
  readonly hosts: readonly string[];
  /** Asks about each unlisted host once. Without it, unlisted hosts cannot be reached. */
  readonly askHost?: ((host: string) => Promise<boolean>) | undefined;
  /** A file that remembers until the next boot that the sandbox works. */
  readonly memory?: string | undefined;
}
