/**
 * The content that a sandboxed process sees at one path. `hiddenFolder` is an empty folder that it cannot write to;
 * writes would be lost with the sandbox anyway. `hiddenFile` cannot be opened. `private` is a folder that belongs to the
 * sandbox, and `replaced` a file or folder that it cannot write, shown at `path`. `scratch` is an empty folder whose new files end with the command, and
 * `shown` is read-only if it still exists.
 */
export type SandboxMount =
  | {
      readonly kind: "writable" | "readOnly" | "scratch" | "shown" | "hiddenFolder" | "hiddenFile";
      readonly path: string;
    }
  | { readonly kind: "private" | "replaced"; readonly path: string; readonly source: string };

/**
 * Sorts outer paths first, because a later mount covers everything below it. Of two mounts on one path the stricter
 * comes last. The whole disk is mounted read-only before them.
 */
export function orderMounts(mounts: readonly SandboxMount[]): SandboxMount[] {
  const depth = ({ path }: SandboxMount) => path.split("/").filter(Boolean).length;
  const seen = new Set<string>();
  const isNew = ({ kind, path }: SandboxMount) => {
    const key = `${kind} ${path}`;
    return !seen.has(key) && seen.add(key);
  };
  return mounts.filter(isNew).sort((a, b) => depth(a) - depth(b) || strictness[a.kind] - strictness[b.kind]);
}

const strictness: Readonly<Record<SandboxMount["kind"], number>> = {
  private: 0,
  shown: 0,
  writable: 1,
  readOnly: 2,
  scratch: 3,
  replaced: 3,
  hiddenFolder: 4,
  hiddenFile: 4,
};
