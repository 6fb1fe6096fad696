import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/** A real folder with the given files, removed after the test. A string is written as it is, an object as JSON. */
export function tempTree(files: Readonly<Record<string, string | Uint8Array | object>> = {}): TempTree {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "troupe-tree-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const tree: TempTree = {
    root,
    path: (name) => join(root, name),
    write(name, content) {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      const isText = typeof content === "string" || content instanceof Uint8Array;
      writeFileSync(join(root, name), isText ? content : JSON.stringify(content, null, 2));
    },
    folder: (name) => void mkdirSync(join(root, name), { recursive: true }),
  };
  for (const [name, content] of Object.entries(files)) tree.write(name, content);
  return tree;
}

export interface TempTree {
  readonly root: string;
  path(name: string): string;
  write(name: string, content: string | Uint8Array | object): void;
  folder(name: string): void;
}
