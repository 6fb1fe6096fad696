import { join, resolve } from "node:path";

export interface InstructionImport {
  readonly path: string;
  /** The path as written in the text, without the `@`. */
  readonly written: string;
  /** True if the text can only mean a file, so a missing file is reported. */
  readonly isPlain: boolean;
}

/** Returns the `@path` imports of a file in order, without duplicates. Code blocks and code spans are ignored. */
export function findImports(
  text: string,
  { folder, userHome }: { folder: string; userHome: string },
): { imports: InstructionImport[]; nothingElse: boolean } {
  const prose = withoutCode(text);
  const imports = new Map<string, InstructionImport>();
  for (const [, name = ""] of prose.matchAll(/(?<=^|\s)@((?:\\ |[^\s\\\0])+)/g)) {
    const written = name.replaceAll("\\ ", " ").replace(/[.,;:!?)\]}'"]+$/, "");
    if (written === "") continue;
    const path = written.startsWith("~/") ? join(userHome, written.slice(2)) : resolve(folder, written);
    const isPlain = /^(?:\.{0,2}|~)\//.test(written) || /\.(?:md|txt)$/.test(written);
    if (!imports.has(path)) imports.set(path, { path, written, isPlain });
  }
  const nothingElse = imports.size > 0 && text.split("\n").every((line) => /^\s*(?:@(?:\\ |[^\s\\])+\s*)*$/.test(line));
  return { imports: [...imports.values()], nothingElse };
}

function withoutCode(text: string): string {
  const kept: string[] = [];
  let fence: string | undefined;
  for (const line of text.split("\n")) {
    const mark = /^[\s>]*(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence) && /^[\s>]*[`~]+\s*$/.test(line)) fence = undefined;
    } else if (mark !== undefined) fence = mark;
    else kept.push(line);
  }
  return kept.join("\n").replace(/(?<!`)(`+)(?!`)[\s\S]*?[^`]\1(?!`)/g, " ");
}
