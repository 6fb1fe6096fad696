/**
 * Converts a file pattern to a regular expression for paths with `/`. `*` and `?` stay within a path segment, `**`
 * crosses segments. Supports `[a-z]`, `[!a]` and `{one,two}`. Returns undefined for an unclosed bracket or brace.
 */
export function globPattern(pattern: string): RegExp | undefined {
  const source = translate(pattern);
  return source === undefined ? undefined : new RegExp(`^${source}$`, "su");
}

function translate(pattern: string): string | undefined {
  let source = "";
  let depth = 0;
  for (let at = 0; at < pattern.length; ) {
    const char = String.fromCodePoint(pattern.codePointAt(at) ?? 0);
    const step = nextStep(pattern, at, depth);
    if (step === undefined) return undefined;
    source += step.source;
    depth += step.depth ?? 0;
    at += step.length ?? char.length;
  }
  return depth === 0 ? source : undefined;
}

interface Step {
  readonly source: string;
  readonly length?: number;
  readonly depth?: number;
}

function nextStep(pattern: string, at: number, depth: number): Step | undefined {
  const rest = pattern.slice(at);
  const atStart = at === 0 || pattern[at - 1] === "/";
  if (atStart && rest.startsWith("**/")) return { source: "(?:[^/]+/)*", length: 3 };
  const stars = /^\*+/.exec(rest)?.[0].length ?? 0;
  if (stars > 0) return { source: stars > 1 ? ".*" : "[^/]*", length: stars };
  if (rest.startsWith("?")) return { source: "[^/]" };
  if (rest.startsWith("[")) return bracket(rest);
  if (rest.startsWith("{")) return { source: "(?:", depth: 1 };
  if (rest.startsWith("}") && depth > 0) return { source: ")", depth: -1 };
  if (rest.startsWith(",") && depth > 0) return { source: "|" };
  if (rest.startsWith("\\") && rest.length > 1) return { source: escaped(rest.slice(1, 2)), length: 2 };
  return { source: escaped(String.fromCodePoint(rest.codePointAt(0) ?? 0)) };
}

function bracket(rest: string): Step | undefined {
  const found = /^\[([!^]?)(\]?[^\]]*)\]/.exec(rest);
  const body = found?.[2];
  if (!found || body === undefined || body === "") return undefined;
  const set = body.replace(/[\\\][&|~^]/g, "\\$&");
  return { source: `(?!/)[${found[1] ? "^" : ""}${set}]`, length: found[0].length };
}

const escaped = (char: string) => char.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

/** Splits off the leading segments without pattern characters: a search starts there. */
export function staticPrefix(pattern: string): { folder: string; rest: string } {
  const parts = pattern.split("/");
  const first = parts.findIndex((part) => /[*?[{\\]/.test(part));
  const split = first < 0 ? parts.length - 1 : first;
  return {
    folder: parts.slice(0, split).join("/") || (pattern.startsWith("/") ? "/" : ""),
    rest: parts.slice(split).join("/"),
  };
}
