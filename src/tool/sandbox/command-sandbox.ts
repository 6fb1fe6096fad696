import { dirname, join, resolve } from "node:path";
import {
  type EnteredSandbox,
  isInside,
  loadSandbox,
  type ProcessRequest,
  type Sandbox,
  type Walls,
  wallsProblem,
} from "../../platform/index.ts";
import type { CommandPlace, Settings } from "../../protocol/index.ts";
import { resolvePath } from "../files/resolve-path.ts";
import { createFileWalls, type FileWallOptions } from "./file-walls.ts";
import { checkoutData, worktreeData } from "./git-folders.ts";
import { createGitConfigs } from "./safe-git-config.ts";
import { guardedPaths, hiddenPaths } from "./sandbox-paths.ts";

/** The sandbox for the commands of one agent. */
export interface CommandSandbox {
  /** Commands that cannot run in the sandbox are refused. */
  readonly required: boolean;
  /** The hosts that can be reached from inside, for the text of a result. */
  readonly hosts: readonly string[];
  /** True if the user or the lead is asked about other hosts. */
  readonly asks: boolean;
  /** True if a person can let a command run outside. */
  readonly attended: boolean;
  readonly writable: readonly string[];
  /** Commands that must run outside, as the words that they begin with. */
  readonly outside: readonly string[];
  /** False if the hooks of the repository must not run. */
  readonly trusted: boolean;
  /** Returns why commands cannot run in the sandbox, or undefined if they can. Tests it once, by running a command. */
  problem(): Promise<string | undefined>;
  enter(request: ProcessRequest, place: CommandPlace): Promise<EnteredSandbox & { readonly hidden: readonly string[] }>;
  close(): Promise<void>;
}

export interface CommandSandboxOptions extends FileWallOptions {
  readonly settings: NonNullable<Settings["sandbox"]>;
  readonly stateRoot: string;
  /** True if the user trusts the repository. */
  readonly trusted: boolean;
  readonly env: Readonly<Record<string, string>>;
  /** Asks whether an unlisted host may be reached. Without it, no unlisted host can. */
  readonly askHost?: ((host: string) => Promise<boolean>) | undefined;
  /** True if a person answers questions. The default is true. */
  readonly attended?: boolean | undefined;
  /** The session's own folders that commands may read. */
  readonly readable: () => readonly string[];
}

/** Returns undefined if the sandbox is off. */
export function createCommandSandbox(options: CommandSandboxOptions): CommandSandbox | undefined {
  const { settings, roots, userHome, stateRoot, trusted } = options;
  const { mode = "auto", network } = settings;
  if (mode === "off") return undefined;
  const place = { cwd: roots[0] ?? "/", env: { HOME: userHome } };
  const added = (settings.writable ?? []).map((path) => resolve(resolvePath(path, place)));
  const writable = [...roots, ...added];
  const mainTop = options.mainTop === undefined ? [] : [options.mainTop];
  const hosts = network?.allow ?? [];
  let sandbox: Promise<Sandbox> | undefined;
  const memory = join(stateRoot, "sandbox-works");
  const load = () => (sandbox ??= loadSandbox({ hosts, askHost: options.askHost, memory }));
  const fileWalls = createFileWalls(options);
  const configs = createGitConfigs(options.env);
  const guarded = () => guardedPaths({ roots, userHome, writable: added });

  const looking = { writable: [], protectedPaths: [], network: "none" } as const;
  const working = (
    { git, network: allowsNetwork }: CommandPlace,
    readOnly: readonly string[],
  ): Pick<Walls, "writable" | "protectedPaths" | "locks" | "network"> => {
    const data = roots.flatMap((root) => [worktreeData(root), ...(git ? [checkoutData(root)] : [])]);
    const open = new Set(data.flatMap((each) => each.writable));
    const inFolders = readOnly.filter((path) => writable.some((folder) => isInside(path, folder)));
    return {
      writable: [...writable, ...open],
      protectedPaths: [
        ...new Set([...guarded(), ...inFolders, ...data.flatMap(({ protectedPaths }) => protectedPaths)]),
      ].filter((path) => !open.has(path)),
      locks: data.flatMap(({ locks }) => locks).filter((path) => !open.has(dirname(path))),
      network: allowsNetwork ? "all" : "hosts",
    };
  };

  /** Returns the walls of a command at this place, as the files are now. */
  const wallsFor = async (where: CommandPlace): Promise<Walls> => {
    const { hidden, readOnly, repositories } = await fileWalls();
    const isSafe = where.walls !== "look" && trusted;
    return {
      ...(where.walls === "look" ? looking : working(where, readOnly)),
      hidden: [...hiddenPaths(userHome, stateRoot), ...hidden],
      readable: [...options.readable(), ...mainTop, ...(where.walls === "look" ? writable : [])],
      replaced: isSafe ? undefined : await configs.replacements(repositories),
    };
  };

  return {
    required: mode === "required",
    hosts,
    asks: options.askHost !== undefined && options.attended !== false,
    attended: options.attended !== false,
    writable,
    outside: settings.outside ?? [],
    trusted,
    problem: async () => (await (await load()).problem()) ?? wallsProblem({ writable, protectedPaths: guarded() }),
    async enter(request, where) {
      const walls = await wallsFor(where);
      return { ...(await (await load()).enter(request, walls)), hidden: walls.hidden };
    },
    close: async () => (await sandbox)?.close(),
  };
}
