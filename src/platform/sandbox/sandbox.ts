import type { ProcessRequest } from "../process/start-process.ts";

/** Runs commands so that they can only change what they were given. */
export interface Sandbox {
  /**
   * Tests the sandbox once by running a command, and caches the result. Undefined if commands can run in it, else the
   * reason and what to do.
   */
  problem(): Promise<string | undefined>;
  /**
   * Returns the same program, wrapped to run inside. Call `release` when it has ended. Rejects if `problem` reports
   * one.
   */
  enter(request: ProcessRequest): Promise<EnteredSandbox>;
  close(): Promise<void>;
}

export interface EnteredSandbox {
  readonly request: ProcessRequest;
  release(): Promise<void>;
}

/** Absolute paths; links in them are followed. */
export interface SandboxOptions {
  readonly writable: readonly string[];
  /** Read-only paths inside writable folders. Missing ones cannot be created either. */
  readonly protectedPaths: () => readonly string[];
  /** Paths that cannot be seen at all. */
  readonly hidden: readonly string[];
  /** Readable paths inside hidden folders. */
  readonly readable: () => readonly string[];
  /** Hosts that can be reached through the proxy. Empty: no network. */
  readonly hosts: readonly string[];
  /** Asks about each unlisted host once. Without it, unlisted hosts cannot be reached. */
  readonly askHost?: ((host: string) => Promise<boolean>) | undefined;
}
