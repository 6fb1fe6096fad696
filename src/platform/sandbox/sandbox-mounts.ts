/**
 * The content that a sandboxed process sees at one path. `hiddenFolder` is an empty folder that it cannot write to;
 * writes would be lost with the sandbox anyway. `private` is a folder that belongs to the sandbox, shown at `path`.
 */
export type SandboxMount =
  | { readonly kind: "writable" | "readOnly" | "hiddenFolder" | "hiddenFile"; readonly path: string }
  | { readonly kind: "private"; readonly path: string; readonly source: string };

/**
 * Sorts outer paths first, because a later mount covers everything below it. Of two mounts on one path the stricter
 * comes last. The whole disk is mounted read-only before them.
 */
export function orderMounts(mounts: readonly SandboxMount[]): SandboxMount[] {
  const depth = ({ path }: SandboxMount) => path.split("/").filter(Boolean).length;
  return [...mounts].sort((a, b) => depth(a) - depth(b) || strictness[a.kind] - strictness[b.kind]);
}

const strictness: Readonly<Record<SandboxMount["kind"], number>> = {
  private: 0,
  writable: 1,
  readOnly: 2,
  hiddenFolder: 3,
  hiddenFile: 3,
};
