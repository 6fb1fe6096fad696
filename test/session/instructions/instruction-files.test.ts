import { execFileSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  type InstructionReading,
  createInstructionFiles,
} from "../../../src/session/instructions/instruction-files.ts";
import { findImports } from "../../../src/session/instructions/instruction-imports.ts";
import { projectFolders } from "../../../src/session/config/project-folders.ts";
import { tempTree, type TempTree } from "../../support/files/temp-tree.ts";

const world = (files: Parameters<typeof tempTree>[0] = {}): TempTree => {
  const tree = tempTree(files);
  for (const folder of ["repo/.git", "home/.troupe", "home/.claude"]) tree.folder(folder);
  return tree;
};

const open = (tree: TempTree, cwd = "repo") =>
  createInstructionFiles({
    projectFolders: projectFolders(tree.path(cwd)),
    home: tree.path("home/.troupe"),
    userHome: tree.path("home"),
  });

/** An agent of a session in `repo` that works in `folder`. */
const agentIn = (tree: TempTree, folder = "repo") => {
  const session = open(tree);
  session.initial();
  const agent = session.forAgent();
  return { enter: (path: string) => agent.enter(tree.path(path), tree.path(folder)) };
};

/** `path: text`, with the paths below the temporary folder. */
const lines = (tree: TempTree, { files }: InstructionReading) =>
  files.map(({ path, text }) => `${path.slice(tree.root.length + 1)}: ${text.trim()}`);

test("the user's file first, then the project's from its root down to the working directory", () => {
  const tree = world({
    "home/.troupe/AGENTS.md": "user agents",
    "home/.claude/CLAUDE.md": "user claude",
    "repo/AGENTS.md": "root agents",
    "repo/CLAUDE.md": "root claude",
    "repo/.claude/CLAUDE.md": "root dot claude",
    "repo/CLAUDE.local.md": "root local",
    "repo/a/b/AGENTS.md": "b agents",
    "repo/a/b/c/AGENTS.md": "below",
    "AGENTS.md": "above the repository",
  });
  expect(lines(tree, open(tree, "repo/a/b").initial())).toEqual([
    "home/.troupe/AGENTS.md: user agents",
    "home/.claude/CLAUDE.md: user claude",
    "repo/AGENTS.md: root agents",
    "repo/CLAUDE.md: root claude",
    "repo/.claude/CLAUDE.md: root dot claude",
    "repo/CLAUDE.local.md: root local",
    "repo/a/b/AGENTS.md: b agents",
  ]);
});

test("the same text appears once: links, copies, and a file that only imports the other", () => {
  const tree = world({
    "repo/AGENTS.md": "same\n",
    "repo/CLAUDE.local.md": "same",
    "repo/.claude/CLAUDE.md": "@../AGENTS.md\n",
  });
  symlinkSync("AGENTS.md", tree.path("repo/CLAUDE.md"));
  expect(lines(tree, open(tree).initial())).toEqual(["repo/AGENTS.md: same"]);
});

test("imports resolve relative to their file, nested, each once", () => {
  const tree = world({
    "repo/CLAUDE.md": "See @docs/style.md and @docs/style.md, or (not this) a@docs/none.md.",
    "repo/docs/style.md": "style, with @deep/more.md.",
    "repo/docs/deep/more.md": "more, and back to @../../CLAUDE.md",
  });
  const reading = open(tree).initial();
  expect(lines(tree, reading).map((line) => line.split(":")[0])).toEqual([
    "repo/CLAUDE.md",
    "repo/docs/style.md",
    "repo/docs/deep/more.md",
  ]);
  expect(reading.notices).toEqual([]);
});

test("imports nest up to five levels", () => {
  const tree = world({ "repo/CLAUDE.md": "start @1.md" });
  for (let number = 1; number < 9; number++) tree.write(`repo/${number}.md`, `number ${number} @${number + 1}.md`);
  const reading = open(tree).initial();
  expect(reading.files).toHaveLength(6);
  expect(reading.notices).toEqual([
    `${tree.path("repo/5.md")}: @6.md is ignored: imports can be nested at most 5 deep`,
  ]);
});

test("lookalikes are not imports; a missing path is reported", () => {
  const tree = world({ "repo/CLAUDE.md": "ask @someone about @types/node, read @./gone.md and @missing.md" });
  const reading = open(tree).initial();
  expect(reading.files).toHaveLength(1);
  expect(reading.notices.map((notice) => notice.split(": ")[1])).toEqual([
    "@./gone.md does not exist",
    "@missing.md does not exist",
  ]);
});

test.each([
  ["plain", "@a.md", ["a.md"]],
  ["with the end of a sentence", "see @a.md, @b.md. (@c.md) and '@d.md'", ["a.md", "b.md"]],
  ["a space in it", "@my\\ notes.md", ["my notes.md"]],
  ["in a code span", "run `@a.md` and ``x ` @b.md`` then @c.md", ["c.md"]],
  ["in a fence", "```\n@a.md\n```\n@b.md", ["b.md"]],
  ["in a fence of tildes with a shorter one in it", "~~~~\n~~~\n@a.md\n~~~~\n@b.md", ["b.md"]],
  ["in a fence that never ends", "```js\n@a.md\n``` js\n@b.md", []],
  ["a fence in a list", "- x\n  ```\n  @a.md\n  ```\n- @b.md", ["b.md"]],
  ["a mail address", "me@a.md", []],
])("imports: %s", (_, text, expected) => {
  expect(findImports(text, { folder: "/f", userHome: "/h" }).imports.map(({ written }) => written)).toEqual(expected);
});

test("the search for imports ends on any text", () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom("`", "```", "\n", "@", "a", " ", "\\ ", "~~~", ">"), { maxLength: 300 }),
      (pieces) => {
        findImports(pieces.join(""), { folder: "/f", userHome: "/h" });
      },
    ),
  );
  findImports("`".repeat(40_000), { folder: "/f", userHome: "/h" });
  findImports("` `` ".repeat(8_000), { folder: "/f", userHome: "/h" });
});

test("a repository imports only its own files and the user's agent files", () => {
  const tree = world({
    "home/.ssh/id_ed25519": "private key",
    "home/notes.md": "private notes",
    "home/.claude/mine.md": "for agents",
    "home/.claude/credentials.json": "token",
    "outside.md": "outside",
    "repo/.git/config": "url with a token",
    "repo/CLAUDE.md":
      "@~/.ssh/id_ed25519 @~/notes.md @~/.claude/mine.md @~/.claude/credentials.json @../outside.md @link.md @.git/config",
  });
  symlinkSync(tree.path("home/notes.md"), tree.path("repo/link.md"));
  symlinkSync(tree.path("home/notes.md"), tree.path("repo/AGENTS.md"));
  const reading = open(tree).initial();
  expect(reading.files.map(({ text }) => text)).toEqual(["for agents"]);
  expect(reading.notices).toHaveLength(7);
});

test("the user's own file may import the user's files", () => {
  const tree = world({
    "home/.claude/CLAUDE.md": "mine\n@~/notes.md\n@/etc/hostname",
    "home/notes.md": "private notes",
  });
  const reading = open(tree).initial();
  expect(lines(tree, reading)).toEqual([
    "home/.claude/CLAUDE.md: mine\n@~/notes.md\n@/etc/hostname",
    "home/notes.md: private notes",
  ]);
  expect(reading.notices).toEqual([expect.stringContaining("/etc/hostname is ignored")]);
});

test("nested folders: added when a file in them is read, once, outer ones first", () => {
  const tree = world({
    "repo/AGENTS.md": "root",
    "repo/a/AGENTS.md": "a",
    "repo/a/b/CLAUDE.md": "b",
    "repo/a/b/file.ts": "",
    "repo/other/AGENTS.md": "other",
    "outside/AGENTS.md": "outside",
    "outside/x.ts": "",
  });
  const { enter } = agentIn(tree);
  expect(lines(tree, enter("repo/a/b/file.ts"))).toEqual(["repo/a/AGENTS.md: a", "repo/a/b/CLAUDE.md: b"]);
  for (const path of ["repo/a/b/other.ts", "repo/a/x.ts", "outside/x.ts", "nonexistent/y.ts", "repo/x.ts"])
    expect(enter(path).files).toEqual([]);
  expect(lines(tree, enter("repo/other/new.ts"))).toEqual(["repo/other/AGENTS.md: other"]);
});

test("nested folders: a folder that is searched counts as entered", () => {
  const tree = world({ "repo/a/AGENTS.md": "a" });
  expect(lines(tree, agentIn(tree).enter("repo/a"))).toEqual(["repo/a/AGENTS.md: a"]);
});

test("nested folders: every agent receives them, a fork knows what its parent knew, and a compaction forgets", () => {
  const tree = world({ "repo/AGENTS.md": "root", "repo/a/AGENTS.md": "a", "repo/b/AGENTS.md": "b" });
  const session = open(tree);
  session.initial();
  const [first, second] = [session.forAgent(), session.forAgent()];
  const enter = (agent: typeof first, path: string) => lines(tree, agent.enter(tree.path(path), tree.path("repo")));
  expect(enter(first, "repo/a/x.ts")).toEqual(["repo/a/AGENTS.md: a"]);
  expect(enter(second, "repo/a/x.ts")).toEqual(["repo/a/AGENTS.md: a"]);
  const fork = first.copy();
  expect(enter(fork, "repo/a/x.ts")).toEqual([]);
  expect(enter(fork, "repo/b/x.ts")).toEqual(["repo/b/AGENTS.md: b"]);
  expect(enter(first, "repo/b/x.ts")).toEqual(["repo/b/AGENTS.md: b"]);
  first.forget();
  expect(first.told().map(({ text }) => text)).toEqual(["a", "b"]);
  expect(enter(first, "repo/a/x.ts")).toEqual(["repo/a/AGENTS.md: a"]);
});

test("nested folders: in a worktree those of the worktree, without what the agent knows already", () => {
  const tree = world({
    "repo/AGENTS.md": "root",
    "repo/a/AGENTS.md": "a",
    "work/AGENTS.md": "root",
    "work/a/AGENTS.md": "a on the branch",
  });
  const { enter } = agentIn(tree, "work");
  expect(lines(tree, enter("work/a/x.ts"))).toEqual(["work/a/AGENTS.md: a on the branch"]);
  expect(enter("repo/a/x.ts").files).toEqual([]);
});

test("a large file is cut between characters, with a note to the model", () => {
  const tree = world({ "repo/AGENTS.md": `x${"é".repeat(30_000)}` });
  const { files, notices } = open(tree).initial();
  expect(files[0]?.text).toMatch(/^xé+\n\[The rest of .* is cut off: these are the first 40000 of 60001 bytes\.\]$/);
  expect(notices).toEqual([`${tree.path("repo/AGENTS.md")}: only the first 40000 of 60001 bytes are used`]);
});

test("the total size is bounded", () => {
  const tree = world({ "repo/AGENTS.md": Array.from({ length: 9 }, (_, index) => `@${index}.md`).join(" ") });
  for (let index = 0; index < 9; index++) tree.write(`repo/${index}.md`, String(index).repeat(30_000));
  const { files, notices } = open(tree).initial();
  expect(files).toHaveLength(6);
  expect(notices).toHaveLength(3);
});

test("files that are not text, not regular, or hide characters are reported", () => {
  const tree = world({
    "repo/AGENTS.md": Uint8Array.of(0x61, 0xff, 0x62),
    "repo/CLAUDE.md": `ignore\u{e0041}\u202e this`,
    "repo/CLAUDE.local.md": Uint8Array.of(0x61, 0, 0x62),
    "repo/sub/AGENTS.md": "\ufeffwith a mark\r\nand Windows lines",
  });
  tree.folder("repo/sub/CLAUDE.md/something");
  execFileSync("mkfifo", [tree.path("repo/sub/CLAUDE.local.md")]);
  const { files, notices } = open(tree, "repo/sub").initial();
  expect(files.map(({ text }) => text)).toEqual([
    "a\ufffdb",
    "ignore[U+E0041][U+202E] this",
    "with a mark\nand Windows lines",
  ]);
  expect(notices.map((notice) => notice.slice(tree.root.length + 1))).toEqual([
    "repo/AGENTS.md: it is not valid UTF-8; invalid bytes are replaced",
    "repo/CLAUDE.md: it has hidden characters, which are replaced by visible marks",
    "repo/CLAUDE.local.md is ignored: it is not a text file",
    "repo/sub/CLAUDE.md is ignored: it is not a regular file",
    "repo/sub/CLAUDE.local.md is ignored: it is not a regular file",
  ]);
});

test("outside a repository only the working directory counts", () => {
  const tree = tempTree({ "AGENTS.md": "above", "here/AGENTS.md": "here", "home/x": "" });
  expect(lines(tree, open(tree, "here").initial())).toEqual(["here/AGENTS.md: here"]);
});
