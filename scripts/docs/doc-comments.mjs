// Reads declarations and their doc comments from TypeScript sources.
import { readFileSync } from "node:fs";
import { parseFile } from "../source-files.mjs";

/** Parses a source. `commentOf(node)` returns the doc comment that ends right before the node, as one line of text. */
export function openSource(path) {
  const text = readFileSync(path, "utf8");
  const { program, comments } = parseFile(path, text);
  const docs = comments.filter(({ type, value }) => type === "Block" && value.startsWith("*"));
  const commentOf = (node) => {
    const parts = [];
    let at = node.start;
    for (;;) {
      const found = docs.find(({ end }) => end <= at && /^[\s|]*$/.test(text.slice(end, at)));
      if (found === undefined) return parts.join(" ");
      parts.unshift(plain(found.value));
      at = found.start;
    }
  };
  return { path, text, program, commentOf, textOf: (node) => text.slice(node.start, node.end) };
}

/** The declarations at the top of a source, by name. An exported declaration keeps the position of its `export`. */
export function declarationsOf({ program }) {
  const found = new Map();
  for (const statement of program.body) {
    const inner = statement.declaration ?? statement;
    for (const one of inner.declarations ?? [inner]) {
      if (one.id?.name !== undefined) found.set(one.id.name, [...(found.get(one.id.name) ?? []), { statement, one }]);
    }
  }
  return found;
}

/** The name of a property or a member. */
export const nameOf = ({ key }) => key.name ?? key.value;

const plain = (comment) =>
  comment
    .replace(/^\*/, "")
    .replace(/^\s*\* ?/gm, "")
    .replace(/\s+/g, " ")
    .trim();
