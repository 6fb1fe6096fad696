// Reports banned words in strings, templates, JSX text, comments and Markdown. Identifiers are not checked.
//   node scripts/check-words.mjs [--count] [PATH…]
// `--count` prints the number of reports for each folder. `scripts/allowed-words.json` lists exceptions: path, word, reason.
import { readFileSync } from "node:fs";
import { bannedStart, bannedWords } from "./banned-words.mjs";
import { lineCounter, listFiles, parseFile, walk } from "./source-files.mjs";

const folders = ["src", "demo", "web", "scripts", "bench", "examples", "test", "docs"];
const pages = ["README.md", "AGENTS.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "GLOSSARY.md"];
const checked = /\.(?:[cm]?[jt]s|[jt]sx|md|html|css)$/;
const allowedFile = "scripts/allowed-words.json";

const args = process.argv.slice(2);
const unknown = args.find((arg) => arg.startsWith("-") && arg !== "--count");
if (unknown !== undefined) {
  console.error(`unknown option ${unknown}. usage: node scripts/check-words.mjs [--count] [PATH…]`);
  process.exit(2);
}
const paths = args.filter((arg) => arg !== "--count").map((path) => path.replace(/^\.\//, "").replace(/\/$/, ""));
const allowed = JSON.parse(readFileSync(allowedFile, "utf8"));
const used = new Set();

const found = listFiles(paths.length > 0 ? paths : [...folders, ...pages], checked).flatMap(checkFile);
const unneeded = paths.length > 0 ? [] : allowed.filter((entry) => !used.has(entry));

if (args.includes("--count")) printCounts();
else report();

function report() {
  for (const { file, line, word, use } of found) console.log(`${file}:${line}: "${word}": use ${use}`);
  for (const { path, word } of unneeded)
    console.log(`${allowedFile}: "${word}" in ${path} is not needed: remove the entry`);
  if (found.length > 0) console.log(`${found.length} banned words`);
  if (found.length + unneeded.length > 0) process.exitCode = 1;
}

/** Counts by the first two folders, with a total for each top folder. */
function printCounts() {
  const counts = new Map();
  const add = (key) => counts.set(key, (counts.get(key) ?? 0) + 1);
  for (const { file } of found) {
    const [top, ...inner] = file.split("/");
    add(inner.length === 0 ? top : `${top}/`);
    if (inner.length > 0) add(`${top}/${inner[0]}${inner.length > 1 ? "/" : ""}`);
  }
  for (const [key, count] of [...counts].sort(([a], [b]) => (a < b ? -1 : 1))) {
    console.log(`${String(count).padStart(6)}  ${/\/./.test(key) ? "  " : ""}${key}`);
  }
  console.log(`${String(found.length).padStart(6)}  total`);
}

function checkFile(file) {
  const text = readFileSync(file, "utf8");
  const lineOf = lineCounter(text);
  return textsOf(file, text)
    .flatMap(checkText)
    .filter(({ word }) => !isAllowed(file, word))
    .sort((a, b) => a.at - b.at)
    .map(({ at, word, use }) => ({ file, line: lineOf(at), word, use }));
}

function isAllowed(file, word) {
  const entry = allowed.find(
    (each) =>
      (each.path === file || (each.path.endsWith("/") && file.startsWith(each.path))) &&
      (each.word === "*" || each.word === word.toLowerCase()),
  );
  if (entry !== undefined) used.add(entry);
  return entry !== undefined;
}

/** Matches every banned word. Of two overlapping matches the earlier pattern wins. */
function checkText({ text, at, isComment }) {
  const hits = [];
  const first = /\S/.exec(text)?.index ?? 0;
  const start = isComment ? bannedStart.pattern.exec(text.slice(first)) : null;
  if (start !== null && !/^[^.!]*\?/.test(text.slice(first))) {
    hits.push({ from: first, to: first + start[0].length, word: start[0], use: bannedStart.use });
  }
  for (const { pattern, use } of bannedWords) {
    for (const match of text.matchAll(pattern)) {
      const from = match.index;
      const to = from + match[0].length;
      if (hits.some((hit) => from < hit.to && hit.from < to)) continue;
      hits.push({ from, to, word: match[0].trim().replace(/\s+/g, " "), use });
    }
  }
  return hits.map(({ from, word, use }) => ({ at: at + from, word, use }));
}

/** Returns the pieces of text a reader sees, each with its offset. Markup becomes spaces, so that offsets stay right. */
function textsOf(file, text) {
  if (/\.(?:md|html)$/.test(file)) return [{ text: withoutCodeSpans(text), at: 0, isComment: false }];
  if (file.endsWith(".css")) {
    return [...text.matchAll(/\/\*[^]*?\*\//g)].map(({ 0: raw, index }) => commentText(raw, index));
  }
  const { program, comments } = parseFile(file, text);
  return [...stringsOf(program, text), ...commentsOf(comments, text)];
}

function stringsOf(program, source) {
  const texts = [];
  walk(program, (node, ancestors) => {
    const isText =
      node.type === "TemplateElement" ||
      node.type === "JSXText" ||
      (node.type === "Literal" && typeof node.value === "string" && !isModulePath(node, ancestors.at(-1)));
    if (!isText) return;
    const raw = source.slice(node.start, node.end);
    texts.push({ text: raw.replace(/\\[^]/g, "  "), at: node.start, isComment: false });
  });
  return texts;
}

function isModulePath(node, parent) {
  return parent.source === node && /^(?:Import|Export)/.test(parent.type);
}

/** Joins line comments that follow each other: a phrase may break over two lines. */
function commentsOf(comments, source) {
  const joined = [];
  for (const { type, start, end } of comments) {
    const last = joined.at(-1);
    if (type === "Line" && last?.type === "Line" && /^\r?\n[ \t]*$/.test(source.slice(last.end, start))) last.end = end;
    else joined.push({ type, start, end });
  }
  return joined.map(({ start, end }) => commentText(source.slice(start, end), start));
}

function commentText(raw, at) {
  const text = raw.replace(/^\/\*+|\*+\/$/g, blank).replace(/^\s*(?:\/\/+|\*+)/gm, blank);
  return { text: withoutCodeSpans(text), at, isComment: true };
}

function withoutCodeSpans(text) {
  return text.replace(/`[^`\n]*`/g, blank);
}

function blank(text) {
  return text.replace(/[^\n]/g, " ");
}
