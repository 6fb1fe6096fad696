export interface CodeToken {
  readonly kind: "plain" | "comment" | "string" | "number" | "keyword";
  readonly text: string;
}

/**
 * Splits each line of code into comments, strings, numbers, keywords and the text between them. It does not parse any
 * language; unknown languages stay plain. The tokens together always give the line.
 */
export function codeTokens(code: string, language: string): readonly (readonly CodeToken[])[] {
  const name = language.toLowerCase();
  const grammar = grammars.get(aliases.get(name) ?? name);
  const lines = code.split("\n");
  if (!grammar) return lines.map((text) => (text === "" ? [] : [{ kind: "plain", text }]));
  let open: Open | undefined;
  return lines.map((line) => {
    const read = lineTokens(line, grammar, open);
    open = read.open;
    return read.tokens;
  });
}

/** A block comment or a string that the next line continues. */
interface Open {
  readonly kind: "comment" | "string";
  readonly end: string;
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

const lua = set(
  "and break do else elseif end false for function if in local nil not or repeat return then true until while",
);
const haskell = set("case class data deriving do else if import in instance let module newtype of then type where");

const grammars: ReadonlyMap<string, Grammar> = new Map(
  Object.entries<Grammar>({
    typescript: { line: "//", block: ["/*", "*/"], quotes: "\"'`", words: script },
    c: { line: "//", block: ["/*", "*/"], quotes: "\"'", words: cFamily },
    go: { line: "//", block: ["/*", "*/"], quotes: '"`', words: go },
    rust: { line: "//", block: ["/*", "*/"], quotes: '"', words: rust },
    python: { line: "#", quotes: "\"'", words: python },
    shell: { line: "#", quotes: "\"'", words: shell },
    sql: { line: "--", block: ["/*", "*/"], quotes: "'\"", words: sql },
    json: { line: "//", quotes: '"', words: set("true false null") },
    yaml: { line: "#", quotes: "\"'", words: set("true false null yes no") },
    lua: { line: "--", quotes: "\"'", words: lua },
    haskell: { line: "--", block: ["{-", "-}"], quotes: '"', words: haskell },
    css: { block: ["/*", "*/"], quotes: "\"'", words: set("") },
  }),
);

const aliases: ReadonlyMap<string, string> = new Map(
  Object.entries({
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
    kt: "c",
    dart: "c",
    csharp: "c",
    cs: "c",
    swift: "c",
    php: "c",
    golang: "go",
    rs: "rust",
    py: "python",
    rb: "python",
    ruby: "python",
    perl: "python",
    r: "python",
    sh: "shell",
    bash: "shell",
    zsh: "shell",
    console: "shell",
    dockerfile: "shell",
    makefile: "shell",
    make: "shell",
    hs: "haskell",
    yml: "yaml",
    toml: "yaml",
    ini: "yaml",
    jsonc: "json",
    json5: "json",
    scss: "css",
  }),
);

/** Reads one line in a single pass. */
function lineTokens(line: string, grammar: Grammar, before: Open | undefined) {
  const tokens: CodeToken[] = [];
  let [at, plainFrom] = [0, 0];
  let open = before;
  const put = (kind: CodeToken["kind"], end: number) => {
    if (at > plainFrom) tokens.push({ kind: "plain", text: line.slice(plainFrom, at) });
    if (end > at) tokens.push({ kind, text: line.slice(at, end) });
    [at, plainFrom] = [end, end];
  };
  const close = ({ kind, end }: Open, from: number) => {
    const found = endOf(line, from, end);
    open = found === undefined ? { kind, end } : undefined;
    put(kind, found ?? line.length);
  };
  if (open) close(open, 0);
  while (at < line.length) {
    const next = line.charAt(at);
    if (grammar.line !== undefined && line.startsWith(grammar.line, at) && (grammar.line !== "#" || isFree(line, at))) {
      put("comment", line.length);
    } else if (grammar.block && line.startsWith(grammar.block[0], at)) {
      close({ kind: "comment", end: grammar.block[1] }, at + grammar.block[0].length);
    } else if (grammar.quotes.includes(next)) {
      if (next === "`") close({ kind: "string", end: next }, at + 1);
      else put("string", endOf(line, at + 1, next) ?? line.length);
    } else if (/[A-Za-z_$]/.test(next)) {
      const word = /^[\w$]+/.exec(line.slice(at, at + 80))?.[0] ?? next;
      if (grammar.words.has(grammar.words === sql ? word.toLowerCase() : word)) put("keyword", at + word.length);
      else at += word.length;
    } else if (/\d/.test(next)) {
      put("number", at + (/^[\w.]+/.exec(line.slice(at, at + 80))?.[0] ?? next).length);
    } else at += 1;
  }
  put("plain", at);
  return { tokens, open };
}

/** A # inside a word does not start a comment. */
const isFree = (line: string, at: number): boolean => at === 0 || /\s/.test(line[at - 1] ?? "");

/** Returns the index after the end mark. A backslash hides the end of a string. */
function endOf(line: string, from: number, end: string): number | undefined {
  for (let at = from; at < line.length; at++) {
    if (line[at] === "\\" && end.length === 1) at += 1;
    else if (line.startsWith(end, at)) return at + end.length;
  }
  return undefined;
}
