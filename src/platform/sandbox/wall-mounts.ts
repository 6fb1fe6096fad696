import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isInside, realPathSync } from "../files/real-path.ts";
import { listeningSockets } from "./listening-sockets.ts";
import { lstatIfThere } from "./lstat-if-there.ts";
import type { Placeholders } from "./placeholders.ts";
import type { Walls } from "./sandbox.ts";
import type { SandboxMount } from "./sandbox-mounts.ts";

export interface WallMounts {
  readonly mounts: readonly SandboxMount[];
  /** The placeholders that the mounts need. */
  readonly held: readonly string[];
}

/** Returns the mounts that make the walls. `folder` is the private folder of the session's sandbox. */
export function wallMounts(walls: Walls, folder: string, placeholders: Placeholders): WallMounts {
  const fixed: SandboxMount[] = [
    { kind: "private", path: "/tmp", source: join(folder, "tmp") },
    ...["/var/tmp", "/var/run"].filter(isFolder).map((path) => ({ kind: "hiddenFolder", path }) as const),
    ...[...walls.writable, ...(walls.pinned ?? [])].filter(isReal).flatMap((path) => mountOf("writable", path)),
    ...(walls.locks ?? []).flatMap((path) => scratchFolder(dirname(path))),
    ...walls.hidden.flatMap(hide),
    ...walls.readable.flatMap((path) => mountOf("readOnly", path)),
    ...[...(walls.replaced ?? [])].map(
      ([path, content]) => ({ kind: "replaced", path, source: maskFile(folder, content) }) as const,
    ),
  ];
  const isAbsent = (path: string) => lstatIfThere(path) === undefined || placeholders.has(path);
  const present = walls.protectedPaths.filter((path) => !isAbsent(path));
  const held = placeholders.hold(walls.protectedPaths.filter(isAbsent));
  const kept = placeholders.keep(walls.kept ?? new Map());
  return {
    mounts: [
      ...fixed,
      ...present.map((path) => ({ kind: "readOnly", path }) as const),
      ...held.map((path) => ({ kind: "hiddenFolder", path }) as const),
      ...kept.map((path) => ({ kind: "readOnly", path }) as const),
      ...listeningSockets()
        .filter((path) => isVisible(path, fixed) && existsSync(path))
        .map((path) => ({ kind: "hiddenFile", path }) as const),
    ],
    held: [...held, ...kept],
  };
}

const isReal = (path: string) => realPathSync(path) === path;

const mountOf = (kind: "writable" | "readOnly", path: string): SandboxMount[] =>
  existsSync(path) ? [{ kind, path }] : [];

/** Shows what the folder has now, below a folder that takes new files. Locks of other programs do not matter in it. */
function scratchFolder(path: string): SandboxMount[] {
  const shown = readdirSync(path).filter((name) => !name.endsWith(".lock"));
  return [{ kind: "scratch", path }, ...shown.map((name) => ({ kind: "shown", path: join(path, name) }) as const)];
}

/** Writes the content to a file that only the mount shows, once. */
function maskFile(folder: string, content: string): string {
  const masks = join(folder, "masks");
  const path = join(masks, createHash("sha256").update(content).digest("hex"));
  if (existsSync(path)) return path;
  mkdirSync(masks, { recursive: true });
  writeFileSync(path, content, { mode: 0o400 });
  return path;
}

function hide(path: string): SandboxMount[] {
  if (lstatIfThere(path) === undefined) return [];
  const real = realPathSync(path);
  const stats = lstatIfThere(real);
  if (stats === undefined) return [];
  return [{ kind: stats.isDirectory() ? "hiddenFolder" : "hiddenFile", path: real }];
}

/** True if the path is outside every hidden or replaced folder; `/run` is always replaced. */
function isVisible(path: string, mounts: readonly SandboxMount[]): boolean {
  const covers = (mount: SandboxMount) => mount.kind === "hiddenFolder" || mount.kind === "private";
  const around = mounts.filter((mount) => isInside(path, mount.path));
  const nearest = around.sort((a, b) => b.path.length - a.path.length)[0];
  return nearest === undefined ? !isInside(path, "/run") : !covers(nearest);
}

const isFolder = (path: string) => lstatIfThere(path)?.isDirectory() ?? false;
