import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../../..");

/** A fenced block of a page. `use` is the word after the language: how the block is checked. */
export interface CodeBlock {
  readonly page: string;
  readonly line: number;
  readonly language: string;
  readonly use: string;
  readonly text: string;
}

/** All fenced blocks of the README and the docs, in order. */
export function codeBlocks(): readonly CodeBlock[] {
  const names = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" });
  const pages = names.filter((name) => name.endsWith(".md")).map((name) => `docs/${name}`);
  return ["README.md", ...pages.sort()].flatMap((page) => blocksOf(page, readFileSync(join(root, page), "utf8")));
}

function blocksOf(page: string, text: string): CodeBlock[] {
  return [...text.matchAll(/^ *```(\w*)(?: (\w+))?\n([^]*?)^ *```$/gm)].map((match) => ({
    page,
    line: text.slice(0, match.index).split("\n").length,
    language: match[1] ?? "",
    use: match[2] ?? "",
    text: match[3] ?? "",
  }));
}
