import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

const script = resolve(import.meta.dirname, "../../scripts/check-words.mjs");
const pages = ["README.md", "AGENTS.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "GLOSSARY.md"];
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "troupe-words-"));
  for (const area of ["src", "demo", "web", "scripts", "bench", "examples", "test", "docs"])
    write(`${area}/empty.ts`, "");
  for (const page of pages) write(page, "# Plain\n");
  allow([]);
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("plain text passes", () => {
  write(
    "src/plain.ts",
    `/** Returns the path. */\nexport const path = "there is no file, and it is no longer read";\n`,
  );
  expect(run()).toEqual({ status: 0, lines: [] });
});

test("a report has the file, the line, the word, its replacement and a count", () => {
  write("src/a.ts", `const a = 1;\n// It is made anew.\n`);
  expect(run()).toEqual({ status: 1, lines: [`src/a.ts:2: "anew": use again`, "1 banned words"] });
});

test("strings, templates, JSX text, comments and titles are checked in every area", () => {
  write("src/string.ts", `throw new Error("nobody reads it");`);
  write("src/template.ts", "const a = `${b} is no address of ${c}`;");
  write("web/src/page.tsx", "const Page = () => <p>\n  Meanwhile\n</p>;");
  write("web/src/page.css", "/* a guest */ .seat { color: red; }");
  write("scripts/run.mjs", "// farewell\n");
  write("bench/run.mjs", "/* elsewhere */\n");
  write("examples/README.md", "besides");
  write("docs/a.md", "anew");
  write("test/a.test.ts", `test("who vouches for it", () => {});`);
  write("GLOSSARY.md", "- **seat**: an agent.");
  expect(words(run().lines).sort()).toEqual([
    `GLOSSARY.md:1: "seat"`,
    `bench/run.mjs:1: "elsewhere"`,
    `docs/a.md:1: "anew"`,
    `examples/README.md:1: "besides"`,
    `scripts/run.mjs:1: "farewell"`,
    `src/string.ts:1: "nobody"`,
    `src/template.ts:1: "is no"`,
    `test/a.test.ts:1: "vouches"`,
    `web/src/page.css:1: "guest"`,
    `web/src/page.tsx:2: "Meanwhile"`,
  ]);
});

test("identifiers, module paths, code spans and parts of words are not checked", () => {
  write(
    "src/a.ts",
    `import { seat } from "./seat.ts";\nexport { knock } from "../knock.ts";\nexport const guest = seat;\n`,
  );
  write("src/b.ts", "/** Opens a `seat`. */\nexport const text = 'recommended';\n");
  write("README.md", "The type `Seat` is exported.");
  expect(run()).toEqual({ status: 0, lines: [] });
});

test("a phrase that breaks over two lines of a comment is found, an escape does not join words", () => {
  write(
    "src/a.ts",
    `// The session goes\n// on. It\n\n/**\n * is given\n * back.\n */\nexport const a = "one\\nanew";\n`,
  );
  expect(words(run().lines)).toEqual([`src/a.ts:1: "goes on"`, `src/a.ts:5: "given back"`, `src/a.ts:8: "anew"`]);
});

test("a comment must not start with a relative clause; a question and a later sentence may", () => {
  write(
    "src/a.ts",
    "/** What is read. */\n\n// Whether it runs.\n\n/** What is it? An agent. */\n\n/** The agent. What it reads. */\n",
  );
  write("src/b.ts", "/** Whoever reads it. */\n\n// Whole files only.\n");
  expect(run().lines).toEqual([
    `src/a.ts:1: "What": use a noun as the subject`,
    `src/a.ts:3: "Whether": use a noun as the subject`,
    `src/b.ts:1: "Whoever": use a noun as the subject`,
    "3 banned words",
  ]);
});

test("of two overlapping banned phrases the longer is reported", () => {
  write("src/a.ts", "// Here there is nobody.\n");
  expect(words(run().lines)).toEqual([`src/a.ts:1: "there is nobody"`]);
});

test.each([
  ["so many", "at most so many lines", "so many files that it fails"],
  ["takes up", "it takes up the work", "it takes up to five minutes"],
  ["was no", "it was no path", "there was no path"],
  ["at rest", "an agent at rest", "encrypted at rest"],
  ["were told", "they were told", "they told"],
  ["mending", "mending a file", "amending a commit"],
])("%s is reported only as the odd phrase", (word, odd, plain) => {
  write("README.md", `${plain}\n${odd}\n`);
  expect(words(run().lines)).toEqual([`README.md:2: "${word}"`]);
});

test("the allow-list takes a file or a folder, and one word or all", () => {
  write("src/a.ts", "// nobody, anew\n");
  write("test/b.ts", "// Nobody, anew\n");
  allow([
    { path: "src/a.ts", word: "nobody", reason: "a user name" },
    { path: "test/", word: "*", reason: "samples" },
  ]);
  expect(words(run().lines)).toEqual([`src/a.ts:1: "anew"`]);
});

test("unneeded entry of the allow-list fails, but not when a part is checked", () => {
  allow([{ path: "src/a.ts", word: "nobody", reason: "a user name" }]);
  const entry = `scripts/allowed-words.json: "nobody" in src/a.ts is not needed: remove the entry`;
  expect(run()).toEqual({ status: 1, lines: [entry] });
  expect(run("test")).toEqual({ status: 0, lines: [] });
});

test("paths limit the check to files and folders", () => {
  write("src/a/a.ts", "// anew\n");
  write("src/b.ts", "// anew\n");
  write("test/c.ts", "// anew\n");
  expect(words(run("./src/a/", "test/c.ts").lines)).toEqual([`src/a/a.ts:1: "anew"`, `test/c.ts:1: "anew"`]);
});

test("--count prints a table by folder and succeeds", () => {
  write("src/cli/a.ts", "// anew, nobody\n");
  write("src/b.ts", "// anew\n");
  write("README.md", "anew");
  expect(run("--count")).toEqual({
    status: 0,
    lines: ["1  README.md", "3  src/", "1    src/b.ts", "2    src/cli/", "4  total"],
  });
});

test("a missing path, a broken file and an unknown option fail", () => {
  expect(run("nowhere").status).toBe(1);
  expect(run("--all").status).toBe(2);
  write("src/broken.ts", "const = ;");
  expect(run().status).toBe(1);
});

function run(...args: string[]) {
  const { status, stdout } = spawnSync(process.execPath, [script, ...args], { cwd: folder, encoding: "utf8" });
  const lines = stdout.split("\n").filter((line) => line !== "");
  return { status, lines: lines.map((line) => line.trim()) };
}

/** The position and the word of each report, without its replacement and without the count. */
function words(lines: readonly string[]) {
  return lines.filter((line) => line.includes(": use ")).map((line) => line.replace(/: use .*/, ""));
}

function allow(entries: readonly { path: string; word: string; reason: string }[]) {
  write("scripts/allowed-words.json", JSON.stringify(entries));
}

function write(path: string, text: string) {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}
