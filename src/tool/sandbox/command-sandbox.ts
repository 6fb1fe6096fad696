import { dirname, join, resolve } from "node:path";
import {
  type EnteredSandbox,
  isInside,
  loadSandbox,
  type ProcessRequest,
  realPathSync,
  type Sandbox,
  type Walls,
  wallsProblem,
} from "../../platform/index.ts";
import type { CommandPlace, Settings } from "../../protocol/index.ts";
import { resolvePath } from "../files/resolve-path.ts";
import { createFileWalls, type FileWallOptions, type FileWalls } from "./file-walls.ts";
import { branchOfWorktree, checkoutData, worktreeData } from "./git-folders.ts";
import { foldersAbove } from "./folders-above.ts";
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
  enter(request: ProcessRequest, place: CommandPlace): Promise<EnteredCommand>;
  close(): Promise<void>;
}

export interface EnteredCommand extends EnteredSandbox {
  readonly hidden: readonly string[];
  /** Returns the files that others obey and that were not there before the command. No wall can prevent them all. */
  newObeyed(): Promise<readonly string[]>;
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
  // Resolved once: a command can make a link of a folder that does not exist yet.
  const added = (settings.writable ?? []).map((path) => realPathSync(resolve(resolvePath(path, place))));
  const writable = [...roots, ...added];
  const mainTop = options.mainTop === undefined ? [] : [options.mainTop];
  const hosts = network?.allow ?? [];
  let sandbox: Promise<Sandbox> | undefined;
  const memory = join(stateRoot, "sandbox-works");
  const load = () => (sandbox ??= loadSandbox({ hosts, askHost: options.askHost, memory }));
  const fileWalls = createFileWalls(options);
  const configs = createGitConfigs(options.env);
  const guarded = () => guardedPaths({ roots, userHome, writable: added, isOwn: options.mainTop !== undefined });
  const branches = new Map(roots.map((root) => [root, branchOfWorktree(root)]));

  const looking = { writable: [], protectedPaths: [], network: "none" } as const;
  const working = (
    { git, network: allowsNetwork }: CommandPlace,
    { readOnly, ruled, hidden }: FileWalls,
  ): Pick<Walls, "writable" | "protectedPaths" | "locks" | "kept" | "pinned" | "network"> => {
    const data = roots.flatMap((root) => [
      worktreeData(root, branches.get(root)),
      ...(git ? [checkoutData(root)] : []),
    ]);
    const open = new Set(data.flatMap((each) => each.writable));
    const inFolders = readOnly.filter((path) => writable.some((folder) => isInside(path, folder)));
    const protectedPaths = [
      ...new Set([...guarded(), ...inFolders, ...data.flatMap((each) => each.protectedPaths)]),
    ].filter((path) => !open.has(path));
    return {
      writable: [...writable, ...open],
      protectedPaths,
      kept: new Map(data.flatMap(({ kept }) => [...(kept ?? [])])),
      pinned: foldersAbove([...ruled, ...guarded()], { inside: writable, except: [...protectedPaths, ...hidden] }),
      locks: data.flatMap(({ locks }) => locks).filter((path) => !open.has(dirname(path))),
      network: allowsNetwork ? "all" : "hosts",
    };
  };

  /** Returns the walls of a command at this place, as the files are now. */
  const wallsFor = async (where: CommandPlace, files: FileWalls): Promise<Walls> => {
    const isSafe = where.walls !== "look" && trusted;
    return {
      ...(where.walls === "look" ? looking : working(where, files)),
      hidden: [...hiddenPaths(userHome, stateRoot), ...files.hidden],
      readable: [...options.readable(), ...mainTop, ...(where.walls === "look" ? writable : [])],
      replaced: isSafe ? undefined : await configs.replacements(files.repositories),
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
      const files = await fileWalls();
      const guardedBefore = guarded();
      const walls = await wallsFor(where, files);
      const entered = await (await load()).enter(request, walls);
      const newObeyed = async () => {
        if (where.walls === "look") return [];
        const before = new Set([...files.guarded, ...guardedBefore]);
        return (await fileWalls()).guarded.filter((path) => !before.has(path));
      };
      return { ...entered, hidden: walls.hidden, newObeyed };
    },
    close: async () => (await sandbox)?.close(),
  };
}
