import { mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import type { RecordedCall } from "./recorded-system-calls.ts";

/** A possible state of the disk after a power cut, by path: the bytes of a file, or null for a folder. */
export type Disk = ReadonlyMap<string, Buffer | null>;

/**
 * The part of each unsynced call that survives: a change of a folder or not, and the first bytes of a write. The rest
 * of a write is zeros if a later write to the same file or the file's new size survives.
 */
export interface Luck {
  readonly name: (call: number) => boolean;
  readonly bytes: (call: number, length: number) => number;
  readonly size?: (file: number) => boolean;
}

/** The disk after a power cut right after the first `count` calls. */
export function diskAfter(calls: readonly RecordedCall[], count: number, luck: Luck): Disk {
  const done = calls.slice(0, count);
  const isSynced = (what: number | string, at: number) =>
    done.some((call) => call.type === "synced" && call.what === what && at < call.before);
  const names = new Map<string, number | null>();
  const contents = new Map<number, Buffer[]>();

  for (const [at, call] of done.entries()) {
    switch (call.type) {
      case "made":
        if ((isSynced(dirname(call.path), at) || luck.name(at)) && !names.has(call.path))
          names.set(call.path, call.file);
        break;
      case "made folder":
        if (isSynced(dirname(call.path), at) || luck.name(at)) names.set(call.path, null);
        break;
      case "renamed": {
        const file = names.get(call.path);
        if (file === undefined || !(isSynced(dirname(call.path), at) || luck.name(at))) break;
        names.delete(call.path);
        names.set(call.to, file);
        break;
      }
      case "removed":
        if (isSynced(dirname(call.path), at) || luck.name(at)) names.delete(call.path);
        break;
      case "appended": {
        const kept = isSynced(call.file, at) ? call.bytes.length : luck.bytes(at, call.bytes.length);
        const pieces = contents.get(call.file) ?? [];
        contents.set(call.file, pieces);
        pieces.push(call.bytes.subarray(0, kept), Buffer.alloc(call.bytes.length - kept));
        break;
      }
      case "synced":
      case "said":
        break;
    }
  }

  const disk = new Map<string, Buffer | null>();
  /** Folders that existed from the start have no creating call. */
  const isThere = (path: string): boolean =>
    !calls.some((call) => call.type === "made folder" && call.path === path) ||
    (names.get(path) === null && isThere(dirname(path)));
  for (const [path, file] of names) {
    if (isThere(dirname(path)))
      disk.set(
        path,
        file === null ? null : wholeOf(contents.get(file) ?? [], { hasItsSize: luck.size?.(file) ?? false }),
      );
  }
  return disk;
}

/** Without its new size, the file ends before the zeros. */
function wholeOf(pieces: readonly Buffer[], { hasItsSize }: { readonly hasItsSize: boolean }): Buffer {
  const whole = Buffer.concat(pieces);
  if (hasItsSize) return whole;
  let end = whole.length;
  while (end > 0 && whole[end - 1] === 0) end -= 1;
  return whole.subarray(0, end);
}

/** Writes the part of the disk below `from` to the folder `to`. */
export function putDown(disk: Disk, { from, to }: { readonly from: string; readonly to: string }): void {
  const paths = [...disk.keys()].sort((a, b) => a.length - b.length);
  for (const path of paths) {
    const bytes = disk.get(path) ?? null;
    const place = join(to, relative(from, path));
    if (bytes === null) mkdirSync(place, { recursive: true, mode: 0o700 });
    else writeFileSync(place, bytes, { mode: 0o600 });
  }
}

/** Equal for disks with the same content. */
export const keyOf = (disk: Disk): string =>
  [...disk]
    .map(([path, bytes]) => `${basename(path)} ${bytes?.toString("latin1") ?? ""}`)
    .sort()
    .join("\0\0");
