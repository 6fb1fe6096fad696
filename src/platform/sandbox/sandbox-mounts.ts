/**
 * What a sandboxed process sees at one path. `hiddenFolder` is an empty folder that it cannot write to, and that would vanish with
 * it if it could; `private` is a folder of the sandbox's own, shown at `path`.
 */
export type SandboxMount =
  | { readonly kind: "writable" | "readOnly" | "hiddenFolder" | "hiddenFile"; readonly path: string }
  | { readonly kind: "private"; readonly path: string; readonly source: string };

/**
 * Outer paths first, since a later mount covers what lies below it; of two on one path the stricter comes last. The whole
 * disk is there before them, read-only.
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
