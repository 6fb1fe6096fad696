import { resolve } from "node:path";
import { loadSandbox, type EnteredSandbox, type ProcessRequest, type Sandbox } from "../../platform/index.ts";
import type { PermissionDecision, Settings } from "../../protocol/index.ts";
import type { PermissionSubject } from "../define-tool.ts";
import { resolvePath } from "../files/resolve-path.ts";
import { guardedPaths, hiddenPaths } from "./sandbox-paths.ts";

/** Where the commands of one session run. */
export interface CommandSandbox {
  /** Commands run in it or not at all. */
  readonly required: boolean;
  /** What can be reached from inside, for the words of a result. */
  readonly hosts: readonly string[];
  /** Somebody is asked about other hosts. */
  readonly asks: boolean;
  readonly writable: readonly string[];
  /** Undefined when commands can run in it; else why not. Tried once, really. */
  problem(): Promise<string | undefined>;
  enter(request: ProcessRequest): Promise<EnteredSandbox>;
  close(): Promise<void>;
}

export interface CommandSandboxOptions {
  readonly settings: NonNullable<Settings["sandbox"]>;
  /** Real and absolute; the first is where the session works. */
  readonly roots: readonly string[];
  readonly userHome: string;
  readonly stateRoot: string;
  /** Whether a host that is not listed may be reached; without it, none can. */
  readonly askHost?: ((host: string) => Promise<boolean>) | undefined;
  /** Folders of the session's own that its agents were told of. */
  readonly readable: () => readonly string[];
}

/** Undefined where it is off. */
export function createCommandSandbox(options: CommandSandboxOptions): CommandSandbox | undefined {
  const { settings, roots, userHome, stateRoot } = options;
  const { mode = "off", network } = settings;
  if (mode === "off") return undefined;
  const place = { cwd: roots[0] ?? "/", env: { HOME: userHome } };
  const added = (settings.writable ?? []).map((path) => resolve(resolvePath(path, place)));
  const writable = [...roots, ...added];
  const hosts = network?.allow ?? [];
  let sandbox: Promise<Sandbox> | undefined;
  const load = () =>
    (sandbox ??= loadSandbox({
      writable,
      protectedPaths: () => guardedPaths({ roots, userHome, writable: added }),
      hidden: hiddenPaths(userHome, stateRoot),
      readable: options.readable,
      hosts,
      askHost: options.askHost,
    }));
  return {
    required: mode === "required",
    hosts,
    asks: options.askHost !== undefined,
    writable,
    problem: async () => (await load()).problem(),
    enter: async (request) => (await load()).enter(request),
    close: async () => (await sandbox)?.close(),
  };
}

/** How a command will run, as far as the policy is concerned: `sandboxed`, or the refusal where it must be and cannot. */
export async function judgeSandbox(
  subject: PermissionSubject,
  sandbox: CommandSandbox | undefined,
): Promise<{ readonly sandboxed: boolean; readonly refusal?: PermissionDecision }> {
  if (subject.kind !== "command" || sandbox === undefined) return { sandboxed: false };
  const why = subject.outsideSandbox ? "it was to run outside of the sandbox" : await sandbox.problem();
  if (why === undefined) return { sandboxed: true };
  if (!sandbox.required) return { sandboxed: false };
  const reason = `commands run in the sandbox here or not at all, and ${why}`;
  return { sandboxed: false, refusal: { behavior: "deny", rule: "sandbox required", reason } };
}
