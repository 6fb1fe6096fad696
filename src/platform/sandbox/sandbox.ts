import type { ProcessRequest } from "../process/start-process.ts";

/** A place where commands can do no harm outside of what they were given. */
export interface Sandbox {
  /** Tries it once, really, and remembers: undefined when commands can run in it, else why not and what to do. */
  problem(): Promise<string | undefined>;
  /** The same program, to be run inside. `release` must be called when it has ended. Rejects when `problem` says something. */
  enter(request: ProcessRequest): Promise<EnteredSandbox>;
  close(): Promise<void>;
}

export interface EnteredSandbox {
  readonly request: ProcessRequest;
  release(): Promise<void>;
}

/** What is asked for, as absolute paths; links in them are followed. */
export interface SandboxOptions {
  readonly writable: readonly string[];
  /** Read-only although they lie in a writable folder; those that do not exist cannot be made either. */
  readonly protectedPaths: () => readonly string[];
  /** Cannot be seen at all. */
  readonly hidden: readonly string[];
  /** Can be read although they lie in a hidden folder. */
  readonly readable: () => readonly string[];
  /** Hosts that can be reached through the proxy; empty: there is no network at all. */
  readonly hosts: readonly string[];
  /** Asked about a host that is not among them, once for each; without it such a host cannot be reached. */
  readonly askHost?: ((host: string) => Promise<boolean>) | undefined;
}
