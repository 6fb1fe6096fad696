import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { Settings } from "../../src/protocol/index.ts";
import { type CodeBlock, codeBlocks } from "../support/docs/code-blocks.ts";
import { knownCommands, troupeCalls, unknownParts } from "../support/docs/known-commands.ts";
import { temporaryFolder } from "../support/files/temporary-folder.ts";

const root = resolve(import.meta.dirname, "../..");
const blocks = codeBlocks();
const of = (language: string, use?: string) =>
  blocks.filter((block) => block.language === language && (use === undefined || block.use === use));
const placeOf = ({ page, line }: CodeBlock) => `${page}:${line}`;

test("every word after the language of a block is a known one", () => {
  const known = ["sh run", "js run", "json settings", "json lines", "text agent"];
  const unknown = blocks.filter(({ language, use }) => use !== "" && !known.includes(`${language} ${use}`));
  expect(unknown.map(placeOf)).toEqual([]);
});

test("every JSON block is JSON, and settings fit their schema", () => {
  for (const block of of("json")) {
    const texts = block.use === "lines" ? block.text.trim().split("\n") : [block.text];
    for (const text of texts) {
      const value: unknown = JSON.parse(text);
      if (block.use === "settings") expect(Settings.safeParse(value).error, placeOf(block)).toBeUndefined();
    }
  }
  expect(of("json", "settings").length).toBeGreaterThan(5);
});

test("every troupe command in a shell block exists, with its flags", () => {
  const known = knownCommands();
  const calls = of("sh").flatMap((block) => troupeCalls(block.text).map((words) => ({ block, words })));
  const wrong = calls.flatMap(({ block, words }) =>
    unknownParts(words, known).map((part) => `${placeOf(block)}: ${part}`),
  );
  expect(wrong).toEqual([]);
  expect(calls.length).toBeGreaterThan(60);
});

test("every agent definition is valid", () => {
  const { folder, env } = workplace(of("text", "agent"));
  const { status, stdout, stderr } = spawnSync("bash", ["-c", "troupe agents validate"], {
    cwd: folder,
    env,
    encoding: "utf8",
  });
  expect({ status, stderr }, stdout).toEqual({ status: 0, stderr: "" });
  expect(of("text", "agent").length).toBeGreaterThan(2);
});

test.each(pagesWith("sh"))("shell blocks of %s run", (page) => {
  const { folder, env } = workplace(of("text", "agent").filter((block) => block.page === page));
  const script = of("sh", "run").filter((block) => block.page === page);
  const text = `set -eo pipefail\n${script.map((block) => block.text).join("\n")}`;
  const { status, stdout, stderr } = spawnSync("bash", ["-c", text], { cwd: folder, env, encoding: "utf8" });
  expect(status, stdout + stderr).toBe(0);
});

test.each(pagesWith("js"))("programs of %s run", (page) => {
  const { folder, env } = workplace([]);
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  for (const block of of("js", "run").filter((each) => each.page === page)) {
    const file = join(folder, `line-${block.line}.mjs`);
    writeFileSync(
      file,
      block.text
        .replaceAll(`"troupe"`, JSON.stringify(join(root, "dist/index.js")))
        .replaceAll(`"troupe/testing"`, JSON.stringify(join(root, "dist/testing.js"))),
    );
    const { status, stderr } = spawnSync(process.execPath, [file], { cwd: folder, env, encoding: "utf8" });
    expect(status, `${placeOf(block)}\n${stderr}`).toBe(0);
  }
});

function pagesWith(language: string): string[] {
  return [...new Set(of(language, "run").map(({ page }) => page))];
}

/** A repository with a commit, these agent types, `troupe` in the path, and a model that always answers. */
function workplace(definitions: readonly CodeBlock[]): { folder: string; env: Record<string, string> } {
  const home = temporaryFolder();
  const folder = join(home, "project");
  for (const path of [join(folder, ".troupe/agents"), join(home, "bin"), join(home, ".troupe")])
    mkdirSync(path, { recursive: true });
  for (const [index, { text }] of definitions.entries())
    writeFileSync(join(folder, `.troupe/agents/${index}.md`), text);
  const model = join(home, "model.mjs");
  writeFileSync(model, `export default () => ({ text: "Done." });\n`);
  writeFileSync(join(home, ".troupe/settings.json"), JSON.stringify({ model: `scripted/${model}` }));
  const program = join(home, "bin/troupe");
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${join(root, "dist/troupe.cjs")}" "$@"\n`);
  chmodSync(program, 0o755);
  const env = { HOME: home, PATH: `${join(home, "bin")}:${process.env["PATH"]}` };
  const git = (...args: string[]) => execFileSync("git", args, { cwd: folder, env });
  git("init", "-q");
  writeFileSync(join(folder, "notes.txt"), "milk\n");
  git("add", ".");
  git("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "Start");
  return { folder, env };
}
