export interface CodeToken {
  readonly kind: "plain" | "comment" | "string" | "number" | "keyword";
  readonly text: string;
}

/** Longer code is not highlighted. */
const maxCharacters = 30_000;

/**
 * Splits code into tokens to highlight: comments, strings, numbers and keywords common to most languages. It does not
 * parse any language. The tokens together always give the original text.
 */
export function codeTokens(text: string, language: string): readonly CodeToken[] {
  const pattern = patterns.get(language.toLowerCase());
  if (!pattern || text.length > maxCharacters) return [{ kind: "plain", text }];
  const tokens: CodeToken[] = [];
  let last = 0;
  for (const match of text.matchAll(pattern)) {
    const { comment, string, number, word } = match.groups ?? {};
    const kind =
      comment !== undefined ? "comment" : string !== undefined ? "string" : number !== undefined ? "number" : "keyword";
    if (word !== undefined && !keywords.has(word)) continue;
    if (match.index > last) tokens.push({ kind: "plain", text: text.slice(last, match.index) });
    tokens.push({ kind, text: match[0] });
    last = match.index + match[0].length;
  }
  if (last < text.length) tokens.push({ kind: "plain", text: text.slice(last) });
  return tokens;
}

const rest = String.raw`(?<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|${"`"}(?:[^${"`"}\\]|\\.)*${"`"})|(?<number>\b\d[\d_.a-fx]*\b)|(?<word>\b[A-Za-z_]\w*\b)`;
const slashes = new RegExp(String.raw`(?<comment>\/\/[^\n]*|\/\*[\s\S]*?\*\/)|${rest}`, "g");
const hashes = new RegExp(String.raw`(?<comment>(?<![\w$\\])#[^\n]*)|${rest}`, "g");
const dashes = new RegExp(String.raw`(?<comment>--[^\n]*)|${rest}`, "g");

const patterns: ReadonlyMap<string, RegExp> = new Map([
  ...[
    "ts",
    "tsx",
    "typescript",
    "js",
    "jsx",
    "mjs",
    "javascript",
    "json",
    "jsonc",
    "c",
    "cpp",
    "h",
    "cs",
    "java",
    "go",
    "rust",
    "rs",
    "swift",
    "kotlin",
    "kt",
    "php",
    "css",
    "scss",
    "dart",
  ].map((name) => [name, slashes] as const),
  ...[
    "py",
    "python",
    "sh",
    "bash",
    "shell",
    "zsh",
    "console",
    "rb",
    "ruby",
    "yaml",
    "yml",
    "toml",
    "ini",
    "make",
    "makefile",
    "dockerfile",
    "r",
    "perl",
  ].map((name) => [name, hashes] as const),
  ...["sql", "lua", "haskell", "hs"].map((name) => [name, dashes] as const),
]);

const keywords: ReadonlySet<string> = new Set(
  `abstract and as assert async await break case catch class const continue def default defer del delete do done elif else end enum esac
  except export extends extern false False fi final finally fn for from func function go if impl implements import in interface is lambda let
  local loop match mod module mut namespace new nil None not null or package pass private protected pub public raise readonly record ref
  return select self static struct super switch then this throw trait true True try type typeof undefined union unless until use using var
  virtual void where while with yield SELECT FROM WHERE INSERT INTO UPDATE DELETE CREATE TABLE JOIN ON GROUP BY ORDER LIMIT AND OR NOT NULL`.split(
    /\s+/,
  ),
);
