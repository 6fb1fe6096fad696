import type { Style } from "../theme.ts";
import { plainLine, span, type Line, type Span } from "../terminal/terminal-lines.ts";
import { diffLine } from "./diff-lines.ts";

/** Highlights comments, strings, numbers and keywords. Unknown languages stay plain. */
export function highlightCode(code: string, language: string): Line[] {
  const lines = code.replaceAll("\t", "  ").split("\n");
  const name = aliases[language.toLowerCase()] ?? language.toLowerCase();
  if (name === "diff") return lines.map(diffLine);
  const grammar = grammars[name];
  if (!grammar) return lines.map((line) => plainLine(line));
  let isOpen = false;
  return lines.map((line) => {
    const [spans, stillOpen] = highlightLine(line, grammar, isOpen);
    isOpen = stillOpen;
    return spans;
  });
}

interface Grammar {
  readonly line?: string;
  readonly block?: readonly [string, string];
  readonly quotes: string;
  readonly words: ReadonlySet<string>;
}

const set = (words: string) => new Set(words.split(" "));

const script = set(
  "abstract any as async await boolean break case catch class const continue declare default delete do else enum export extends false finally for from function get if implements import in instanceof interface keyof let namespace new null number object of private protected public readonly return satisfies set static string super switch this throw true try type typeof undefined unknown var void while with yield",
);
const cFamily = set(
  "auto bool boolean break byte case catch char class const constexpr continue default delete do double else enum extends extern final finally float for if implements import inline int interface long namespace new null nullptr package private protected public return short signed sizeof static struct super switch template this throw throws true false try typedef union unsigned using virtual void volatile while var string",
);
const go = set(
  "break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var nil true false string int bool error byte",
);
const rust = set(
  "as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return self Self static struct super trait true type unsafe use where while str bool u8 u32 u64 i32 i64 usize",
);
const python = set(
  "False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return self try while with yield",
);
const shell = set(
  "case cd do done echo elif else esac exit export fi for function if in local return set source then until while",
);
const sql = set(
  "select from where insert into values update set delete create table index drop alter join left right inner outer on and or not null is in as order by group having limit distinct primary key references default union case when then else end",
);

const grammars: Readonly<Record<string, Grammar | undefined>> = {
  typescript: { line: "//", block: ["/*", "*/"], quotes: "\"'`", words: script },
  c: { line: "//", block: ["/*", "*/"], quotes: "\"'", words: cFamily },
  go: { line: "//", block: ["/*", "*/"], quotes: '"`', words: go },
  rust: { line: "//", block: ["/*", "*/"], quotes: '"', words: rust },
  python: { line: "#", quotes: "\"'", words: python },
  shell: { line: "#", quotes: "\"'", words: shell },
  sql: { line: "--", block: ["/*", "*/"], quotes: "'\"", words: sql },
  json: { line: "//", quotes: '"', words: set("true false null") },
  yaml: { line: "#", quotes: "\"'", words: set("true false null yes no") },
  css: { block: ["/*", "*/"], quotes: "\"'", words: set("") },
};

const aliases: Readonly<Record<string, string>> = {
  ts: "typescript",
  tsx: "typescript",
  js: "typescript",
  jsx: "typescript",
  mjs: "typescript",
  javascript: "typescript",
  cpp: "c",
  "c++": "c",
  h: "c",
  java: "c",
  kotlin: "c",
  csharp: "c",
  cs: "c",
  swift: "c",
  php: "c",
  golang: "go",
  rs: "rust",
  py: "python",
  rb: "python",
  ruby: "python",
  sh: "shell",
  bash: "shell",
  zsh: "shell",
  console: "shell",
  dockerfile: "shell",
  makefile: "shell",
  yml: "yaml",
  toml: "yaml",
  ini: "yaml",
  jsonc: "json",
  json5: "json",
  scss: "css",
  patch: "diff",
};

/** Highlights one line in a single pass. */
function highlightLine(line: string, grammar: Grammar, isOpen: boolean): [Line, boolean] {
  const spans: Span[] = [];
  let plain = "";
  const put = (text: string, style: Style) => {
    if (plain !== "") spans.push(span(plain));
    plain = "";
    spans.push(span(text, style));
  };
  let at = 0;
  if (isOpen) {
    const end = endOfBlock(line, 0, grammar);
    put(line.slice(0, end ?? line.length), { role: "comment" });
    if (end === undefined) return [spans, true];
    at = end;
  }
  while (at < line.length) {
    const rest = line[at] ?? "";
    if (grammar.line !== undefined && line.startsWith(grammar.line, at) && (grammar.line !== "#" || isFree(line, at))) {
      put(line.slice(at), { role: "comment" });
      at = line.length;
    } else if (grammar.block && line.startsWith(grammar.block[0], at)) {
      const end = endOfBlock(line, at + grammar.block[0].length, grammar);
      put(line.slice(at, end ?? line.length), { role: "comment" });
      if (end === undefined) return [spans, true];
      at = end;
    } else if (grammar.quotes.includes(rest)) {
      const end = endOfString(line, at);
      put(line.slice(at, end), { role: "string" });
      at = end;
    } else if (/[A-Za-z_$]/.test(rest)) {
      const word = /^[\w$]+/.exec(line.slice(at, at + 80))?.[0] ?? rest;
      if (grammar.words.has(word) || (grammar === grammars["sql"] && grammar.words.has(word.toLowerCase())))
        put(word, { role: "keyword" });
      else plain += word;
      at += word.length;
    } else if (/\d/.test(rest)) {
      const number = /^[\w.]+/.exec(line.slice(at, at + 80))?.[0] ?? rest;
      put(number, { role: "number" });
      at += number.length;
    } else {
      plain += rest;
      at += 1;
    }
  }
  if (plain !== "") spans.push(span(plain));
  return [spans, false];
}

/** A # inside a word does not start a comment. */
const isFree = (line: string, at: number): boolean => at === 0 || /\s/.test(line[at - 1] ?? "");

function endOfBlock(line: string, from: number, { block }: Grammar): number | undefined {
  const end = line.indexOf(block?.[1] ?? "", from);
  return end < 0 ? undefined : end + (block?.[1].length ?? 0);
}

function endOfString(line: string, from: number): number {
  const quote = line[from];
  for (let at = from + 1; at < line.length; at++) {
    if (line[at] === "\\") at += 1;
    else if (line[at] === quote) return at + 1;
  }
  return line.length;
}
