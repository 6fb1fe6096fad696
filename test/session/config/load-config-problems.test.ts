import { execFileSync } from "node:child_process";
import { chmodSync, symlinkSync } from "node:fs";
import { expect, test } from "vitest";
import { loadConfig, settingsProblems } from "../../../src/session/config/load-config.ts";
import { tempTree } from "../../support/files/temp-tree.ts";

const file = "repo/.troupe/settings.json";

async function problemsOf(content: string | Uint8Array, name = file): Promise<string[]> {
  const tree = tempTree({ [name]: content });
  tree.folder("repo/.git");
  const input = {
    cwd: tree.path("repo"),
    env: { HOME: tree.path("home") },
    managedFile: tree.path("etc/settings.json"),
  };
  const found = await settingsProblems(input);
  const error: unknown = await loadConfig(input).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (found.length > 0) expect(error).toMatchObject({ name: "TroupeError", code: "settings" });
  else expect(error).toBeUndefined();
  return found.map(({ file: at, line, column, field, message }) => {
    expect(at).toBe(tree.path(name));
    return `${line ?? "-"}:${column ?? "-"} ${field ?? "-"} ${message}`;
  });
}

test.each([
  ["cut", '{\n  "model": "lo', "2:12 - not valid JSON: unexpected end of string"],
  ["cut after a brace", '{ "permissions": {', "1:19 - not valid JSON: close brace expected"],
  ["zero bytes", "", "1:1 - the file is empty. Write {} or remove the file."],
  ["blank", " \n\n", "1:1 - the file is empty. Write {} or remove the file."],
  ["a comment", '{\n  // mine\n  "model": "local/a"\n}', "2:3 - not valid JSON: comments are not allowed in JSON"],
  ["a comma too many", '{ "model": "local/a", }', "1:23 - not valid JSON: property name expected"],
  ["NUL", '{ "model": "a\u0000b" }', "1:12 - not valid JSON: invalid character"],
  ["a list", "[]", "1:1 - expected object, received array"],
  ["a wrong type", '{\n  "maxTurns": "many"\n}', "2:15 maxTurns expected number, received string"],
  [
    "a wrong type inside",
    '{"permissions": {"deny": ["a", 3]}}',
    "1:32 permissions.deny[1] expected string, received number",
  ],
  ["too small", '{"maxTurns": 0}', "1:14 maxTurns too small: expected number to be >0"],
  [
    "a wrong choice",
    '{"permissions": {"defaultMode": "yolo"}}',
    /^1:33 permissions\.defaultMode expected one of "default"\|/,
  ],
  ["a typo", '{\n  "modle": "local/a"\n}', '2:3 modle unknown key. Did you mean "model"?'],
  ["a typo inside", '{"retry": {"maxAttempt": 3}}', '1:12 retry.maxAttempt unknown key. Did you mean "maxAttempts"?'],
  [
    "a typo in a model",
    '{"models": {"local/a": {"contextWindows": 3}}}',
    '1:25 models.local/a.contextWindows unknown key. Did you mean "contextWindow"?',
  ],
  ["an unknown key", '{"bash": {"colour": "red"}}', "1:11 bash.colour unknown key. Known keys: timeoutMs"],
  [
    "a URL that is none",
    '{"providers": {"local": {"baseUrl": "file:///etc"}}}',
    /^1:37 providers\.local\.baseUrl expected a URL/,
  ],
  ["a bad variable", '{"env": {"A B": "c"}}', "1:10 env.A B expected the name of an environment variable"],
  ["a key twice", '{\n  "model": "local/a",\n  "model": "local/b"\n}', "3:3 model duplicate key. Remove one of them."],
  ["a key twice inside", '{"env": {"A": "1", "A": "2"}}', "1:20 env.A duplicate key. Remove one of them."],
  ["__proto__", '{"__proto__": {"model": "local/a"}}', "1:2 __proto__ this key is not allowed. Remove it."],
  ["__proto__ inside", '{"env": {"__proto__": "1"}}', "1:10 env.__proto__ this key is not allowed. Remove it."],
  [
    "a deep one",
    `${"[".repeat(10_000)}${"]".repeat(10_000)}`,
    "-:- - the JSON is nested too deeply (the limit is 64 levels)",
  ],
  ["deep and cut", '{"a":'.repeat(10_000), "-:- - the JSON is nested too deeply (the limit is 64 levels)"],
  ["not UTF-8", Uint8Array.of(0x7b, 0xff, 0x7d), "-:- - cannot read the settings: it is not valid UTF-8"],
  [
    "huge",
    `{"model": "${"x".repeat(1_000_001)}"}`,
    /cannot read the settings: it has \d+ bytes; the limit is 1000000$/,
  ],
])("%s", async (_, content, expected) => {
  const [problem, ...more] = await problemsOf(content);
  expect(more).toEqual([]);
  if (typeof expected === "string") expect(problem).toBe(expected);
  else expect(problem).toMatch(expected);
});

test.each([
  ["a byte order mark", '\ufeff{"model": "local/a"}'],
  ["Windows line ends", '{\r\n"model": "local/a"\r\n}'],
  ["quotes and colons in text", String.raw`{"env": {"A": "\": \"x\": {", "B": "\\"}, "aliases": {"\"": "b:c"}}`],
  ["every setting", JSON.stringify(everything())],
])("%s is fine", async (_, content) => {
  expect(await problemsOf(content)).toEqual([]);
});

test("lists all problems of all files, and throws the first with the number of the others", async () => {
  const tree = tempTree({
    [file]: '{"modle": 1, "maxTurns": -1}',
    "repo/.claude/settings.json": '{"permissions": {"allow": "Read"}}',
    "home/.troupe/settings.json": "{",
  });
  tree.folder("repo/.git");
  const input = { cwd: tree.path("repo"), env: { HOME: tree.path("home") }, managedFile: tree.path("none") };
  expect(await settingsProblems(input)).toHaveLength(4);
  await expect(loadConfig(input)).rejects.toThrow(
    /settings\.json:1:\d+: .* \(and 3 more: 'troupe doctor' lists them\)$/,
  );
});

test("a file of another agent program may contain anything but broken rules", async () => {
  const claude = "repo/.claude/settings.json";
  expect(await problemsOf('{"modle": 1, "model": 3, "permissions": {"allow": ["Read"], "x": 1}}', claude)).toEqual([]);
  expect(await problemsOf('{"permissions": {"allow": [""]}}', claude)).toEqual([
    expect.stringMatching(/^1:28 permissions\.allow\[0\] too small/),
  ]);
});

test("an empty folder in place of settings counts as absent: a killed sandbox leaves one", async () => {
  const tree = tempTree();
  for (const folder of ["repo/.git", file, "repo/.mcp.json", "home"]) tree.folder(folder);
  const input = { cwd: tree.path("repo"), env: { HOME: tree.path("home") }, managedFile: tree.path("none") };
  expect(await settingsProblems(input)).toEqual([]);
});

test("a folder, a pipe, a loop or an unreadable file in place of settings is an error", async () => {
  const tree = tempTree();
  for (const folder of ["repo/.git", "repo/.troupe", "repo/.claude", "home"]) tree.folder(folder);
  const input = { cwd: tree.path("repo"), env: { HOME: tree.path("home") }, managedFile: tree.path("none") };
  tree.folder(`${file}/something`);
  execFileSync("mkfifo", [tree.path("repo/.troupe/settings.local.json")]);
  symlinkSync("settings.json", tree.path("repo/.claude/settings.json"));
  const found = await settingsProblems(input);
  expect(found.map(({ message }) => message)).toEqual([
    "cannot read the settings: it is not a regular file",
    "cannot read the settings: it is not a regular file",
    expect.stringContaining("ELOOP"),
  ]);
  if (process.getuid?.() !== 0) {
    const closed = tempTree({ "repo/.troupe/settings.json": "{}" });
    chmodSync(closed.path("repo/.troupe/settings.json"), 0);
    expect(await settingsProblems({ ...input, cwd: closed.path("repo") })).toEqual([
      { file: closed.path("repo/.troupe/settings.json"), message: expect.stringContaining("EACCES") },
    ]);
  }
});

test("--settings takes an existing file or JSON, and names the error in it", async () => {
  const tree = tempTree();
  tree.folder("repo");
  const input = { cwd: tree.path("repo"), env: { HOME: tree.path("home") }, managedFile: tree.path("none") };
  await expect(loadConfig({ ...input, flags: { settings: "absent.json" } })).rejects.toThrow(
    `${tree.path("repo/absent.json")}: cannot read the settings: file not found`,
  );
  await expect(loadConfig({ ...input, flags: { settings: '{"maxTurns": "x"}' } })).rejects.toThrow(
    "--settings:1:14: maxTurns: expected number, received string",
  );
  expect((await loadConfig({ ...input, flags: { settings: ' {"maxTurns": 3}' } })).maxTurns).toBe(3);
});

function everything() {
  return {
    $schema: "x",
    model: "opus",
    smallModel: "haiku",
    aliases: { a: "b" },
    models: {
      "local/a": {
        contextWindow: 1,
        maxOutputTokens: 1,
        price: { input: 1, output: 2, long: { over: 1, input: 1, output: 1 } },
      },
    },
    providers: { anthropic: { baseUrl: "https://a" }, openai: {}, local: { baseUrl: "http://127.0.0.1:11434/v1" } },
    permissions: { allow: [], ask: [], deny: [], defaultMode: "plan", additionalDirectories: [] },
    env: { A: "" },
    maxTurns: 1,
    maxBudgetUsd: 0.5,
    retry: { maxAttempts: 1, stallMs: 1000 },
    compaction: { atTokens: 1000, atFraction: 0.8 },
    bash: { timeoutMs: 1000 },
    hooks: { Stop: 1 },
    mcpServers: [],
  };
}
