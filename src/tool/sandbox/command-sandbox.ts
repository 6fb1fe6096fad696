import { resolve } from "node:path";
import { loadSandbox, type EnteredSandbox, type ProcessRequest, type Sandbox } from "../../platform/index.ts";
import type { PermissionDecision, Settings } from "../../protocol/index.ts";
import type { PermissionSubject } from "../define-tool.ts";
import { resolvePath } from "../files/resolve-path.ts";
import { guardedPaths, hiddenPaths } from "./sandbox-paths.ts";

/** The sandbox for the commands of one session. */
export interface CommandSandbox {
  /** Commands that cannot run in the sandbox are refused. */
  readonly required: boolean;
  /** The hosts that can be reached from inside, for the text of a result. */
  readonly hosts: readonly string[];
  /** True if the user or the lead is asked about other hosts. */
  readonly asks: boolean;
  readonly writable: readonly string[];
  /** Returns why commands cannot run in the sandbox, or undefined if they can. Tests it once, by running a command. */
  problem(): Promise<string | undefined>;
  enter(request: ProcessRequest): Promise<EnteredSandbox>;
  close(): Promise<void>;
}

export interface CommandSandboxOptions {
  readonly settings: NonNullable<Settings["sandbox"]>;
  /** Real and absolute. The first is the folder where the session works. */
  readonly roots: readonly string[];
  readonly userHome: string;
  readonly stateRoot: string;
  /** Asks whether an unlisted host may be reached. Without it, no unlisted host can. */
  readonly askHost?: ((host: string) => Promise<boolean>) | undefined;
  /** The session's own folders that its agents may read. */
  readonly readable: () => readonly string[];
}

/** Returns undefined if the sandbox is off. */
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

/**
 * Returns how a command will run, for the policy: `sandboxed`, or a refusal if the sandbox is required and cannot be
 * used.
 */
export async function judgeSandbox(
  subject: PermissionSubject,
  sandbox: CommandSandbox | undefined,
): Promise<{ readonly sandboxed: boolean; readonly refusal?: PermissionDecision }> {
  if (subject.kind !== "command" || sandbox === undefined) return { sandboxed: false };
  const why = subject.outsideSandbox ? "the call asks to run outside the sandbox" : await sandbox.problem();
  if (why === undefined) return { sandboxed: true };
  if (!sandbox.required) return { sandboxed: false };
  const reason = `commands must run in the sandbox here, and ${why}`;
  return { sandboxed: false, refusal: { behavior: "deny", rule: "sandbox required", reason } };
}
