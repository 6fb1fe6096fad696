// Finds and parses source files for the checks in this folder.
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "rolldown/utils";

/** Lists files below `paths` (files or folders) whose name matches `pattern`. Paths stay relative to the current folder. */
export function listFiles(paths, pattern) {
  return paths
    .flatMap((path) => {
      const stat = statSync(path, { throwIfNoEntry: false });
      if (stat === undefined) throw new Error(`cannot check ${path}: no such file or folder.`);
      if (!stat.isDirectory()) return [path];
      const names = readdirSync(path, { recursive: true, encoding: "utf8" });
      return names.map((name) => join(path, name).replaceAll("\\", "/"));
    })
    .filter((path) => pattern.test(path) && !/(^|\/)(node_modules|dist)\//.test(path))
    .sort();
}

/** Parses one script. A syntax error throws: a file that cannot be parsed is not checked. */
export function parseFile(path, text) {
  const { program, comments, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`cannot parse ${path}: ${errors[0].message}`);
  return { program, comments };
}

/** Calls `visit(node, ancestors)` for every node, parents first. The nearest ancestor comes last. */
export function walk(node, visit, ancestors = []) {
  visit(node, ancestors);
  const inner = [...ancestors, node];
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (typeof child?.type === "string") walk(child, visit, inner);
    }
  }
}

/** Returns a function from an offset in `text` to its line number, counted from 1. */
export function lineCounter(text) {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (starts[middle] <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}
