import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { call, slashSession } from "../../support/session/slash-session.ts";
import { tempTree } from "../../support/files/temp-tree.ts";

/** Built here, so that this file contains no token. */
const token = `ghp_${"aB3".repeat(12)}`;
const bypass = { permissionMode: "bypassPermissions" } as const;

const filesUnder = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? [path, ...filesUnder(path)] : [path];
  });

describe("secret that a call meets", () => {
  test("is in no request, event or session file: results, saved output, diffs", async () => {
    const tree = tempTree({ "project/.env.txt": `TOKEN_A=1\nkey: ${token}\n`, "project/edit.txt": `a ${token}\nb\n` });
    const { session, model, all, close } = await slashSession({
      tree,
      steps: [
        call("Read", { file_path: ".env.txt" }),
        call("Bash", { command: "cat .env.txt" }),
        call("Bash", { command: 'yes "$(cat .env.txt)" | head -4000' }),
        call("Bash", { command: "cat .env.txt; echo secret >&2", run_in_background: true }),
        { calls: [{ tool: "TaskOutput", input: { task_id: "{{result:/bg_\\w+/0}}" } }] },
        call("Read", { file_path: "edit.txt" }),
        call("Edit", { file_path: "edit.txt", old_string: "b", new_string: "c" }),
        call("Grep", { pattern: "key", output_mode: "content" }),
        { text: "Done." },
        { text: "Heard." },
      ],
      more: bypass,
    });
    await session.ask("look");
    await session.settled();
    await close();
    expect(all("tool.settled").map(({ outcome }) => outcome)).toEqual(Array(8).fill("ok"));
    expect(JSON.stringify(model.calls.map(({ ask }) => ask.request))).not.toContain(token.slice(4, 20));
    expect(JSON.stringify(model.calls.at(-1)?.ask.request.messages)).toContain("[redacted: github token]");
    const files = filesUnder(tree.path("home/.troupe")).filter((path) => lstatSync(path).isFile());
    expect(files.some((path) => readFileSync(path, "utf8").includes("[redacted: github token]"))).toBe(true);
    for (const path of files) expect(readFileSync(path, "utf8")).not.toContain(token.slice(4, 20));
    for (const text of all("tool.progress").map((event) => event.text)) expect(text).not.toContain(token);
  });

  test("session files and folders are readable only by their user", async () => {
    const tree = tempTree();
    const { session, close } = await slashSession({
      tree,
      steps: [
        call("Bash", { command: "seq 20000" }),
        call("Bash", { command: "seq 10", run_in_background: true }),
        { text: "Done." },
        { text: "Heard." },
      ],
      more: bypass,
    });
    await session.ask("go");
    await close();
    const paths = filesUnder(tree.path("home/.troupe"));
    const modes = paths.map((path) => {
      const stats = lstatSync(path);
      return `${(stats.mode & 0o777).toString(8)} ${stats.isDirectory() ? "folder" : "file"}`;
    });
    // Git's objects are also closed to their user's writes.
    expect(new Set(modes)).toEqual(new Set(["700 folder", "600 file", "400 file"]));
    expect(paths.some((path) => path.endsWith(".output"))).toBe(true);
    expect(paths.some((path) => path.includes("bash-"))).toBe(true);
  });

  test("model key is redacted by value, whatever its form, also in saved output", async () => {
    const key = "plain-words-as-a-key";
    const tree = tempTree({ "project/notes.txt": `the key is ${key}\n` });
    const { session, results, close } = await slashSession({
      tree,
      steps: [
        call("Read", { file_path: "notes.txt" }),
        call("Bash", { command: 'yes "$(cat notes.txt)" | head -4000' }),
        call("Bash", { command: "cat notes.txt", run_in_background: true }),
        { text: "Done." },
        { text: "Heard." },
      ],
      more: {
        ...bypass,
        env: { HOME: tree.path("home"), PATH: process.env["PATH"], TROUPE_SANDBOX: "off", OPENAI_API_KEY: key },
      },
    });
    await session.ask("go");
    await session.settled();
    await close();
    expect(results()[0]?.text).toContain("the key is [redacted: model key]");
    for (const path of filesUnder(tree.path("home/.troupe")).filter((each) => lstatSync(each).isFile())) {
      expect(readFileSync(path, "utf8")).not.toContain(key);
    }
  });

  test("user's own text is not redacted", async () => {
    const { session, said } = await slashSession({ steps: [{ text: "Done." }] });
    await session.ask(`use ${token}`);
    expect(said(0)).toBe(`use ${token}`);
  });
});

describe("redaction mark never replaces a secret in a file", () => {
  test("Write and Edit refuse a redaction mark unless the file already has it", async () => {
    const tree = tempTree({ "project/a.txt": `k ${token}\n`, "project/b.txt": "[redacted: github token]\nold\n" });
    const { session, results } = await slashSession({
      tree,
      steps: [
        call("Read", { file_path: "a.txt" }),
        call("Write", { file_path: "a.txt", content: "k [redacted: github token]\nmore\n" }),
        call("Edit", { file_path: "a.txt", old_string: "k [redacted: github token]", new_string: "x" }),
        call("Read", { file_path: "b.txt" }),
        call("Write", { file_path: "b.txt", content: "[redacted: github token]\nnew\n" }),
        { text: "Done." },
      ],
      more: bypass,
    });
    await session.ask("go");
    expect(results().map(({ outcome }) => outcome)).toEqual(["ok", "failed", "failed", "ok", "ok"]);
    expect(results()[1]?.text).toContain(
      "stands for a secret that is hidden from you, and writing it would destroy the secret.",
    );
    expect(readFileSync(tree.path("project/a.txt"), "utf8")).toBe(`k ${token}\n`);
    expect(readFileSync(tree.path("project/b.txt"), "utf8")).toBe("[redacted: github token]\nnew\n");
  });
});

describe("environment of commands", () => {
  const show = call("Bash", { command: 'echo "<$GEMINI_API_KEY> <$OPENAI_ORG> <$OTHER>"' });
  const env = (home: string) => ({
    HOME: home,
    TROUPE_SANDBOX: "off",
    PATH: process.env["PATH"],
    GEMINI_API_KEY: "gem",
    OPENAI_ORG: "org",
    OTHER: "o",
  });

  test("has no model keys, except those that the user's settings name", async () => {
    for (const [settings, expected] of [
      [{}, "<> <> <o>"],
      [{ childEnv: { allow: ["GEMINI_API_KEY"] } }, "<gem> <> <o>"],
    ] as const) {
      const tree = tempTree({ "home/.troupe/settings.json": settings });
      const { session, results } = await slashSession({
        tree,
        steps: [show, { text: "Done." }],
        more: { ...bypass, env: env(tree.path("home")) },
      });
      await session.ask("go");
      expect(results()[0]?.text).toBe(expected);
    }
  });

  test("project cannot name keys before it is trusted", async () => {
    const tree = tempTree({ "project/.troupe/settings.json": { childEnv: { allow: ["GEMINI_API_KEY"] } } });
    const { session, results } = await slashSession({
      tree,
      steps: [show, { text: "Done." }],
      more: { ...bypass, env: env(tree.path("home")) },
    });
    await session.ask("go");
    expect(results()[0]?.text).toBe("<> <> <o>");
  });
});
