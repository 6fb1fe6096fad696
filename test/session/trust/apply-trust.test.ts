import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { projectName } from "../../../src/platform/index.ts";
import { listTrustRecords, loadConfig, removeTrustRecord, trustFolder } from "../../../src/session/index.ts";
import { saveRules } from "../../../src/session/permissions/save-rule.ts";
import { tempTree, type TempTree } from "../../support/files/temp-tree.ts";

const hooks = (command: string) => ({ PreToolUse: [{ hooks: [{ type: "command", command }] }] });

const world = (files: Parameters<typeof tempTree>[0] = {}): TempTree => {
  const tree = tempTree(files);
  for (const folder of ["repo/.git", "repo/sub", "home/.troupe"]) tree.folder(folder);
  return tree;
};

const load = (tree: TempTree, cwd = "repo") =>
  loadConfig({ cwd: tree.path(cwd), env: { HOME: tree.path("home") }, managedFile: tree.path("etc/settings.json") });

/** Does the same as `troupe trust`. */
const trust = async (tree: TempTree, cwd = "repo") => {
  const {
    home,
    cwd: real,
    untrusted,
  } = await loadConfig({
    cwd: tree.path(cwd),
    env: { HOME: tree.path("home") },
    trust: "none",
  });
  await trustFolder(home, { cwd: real, withheld: untrusted, now: 0 });
};

test("a trusted folder stays trusted until it requests something new", async () => {
  const tree = world({ "repo/.troupe/settings.json": { hooks: hooks("one"), env: { A: "1" }, model: "local/m" } });
  const before = await load(tree);
  expect(before).toMatchObject({ trust: "none", hooks: [], model: undefined });
  expect(before.notices).toEqual([
    "this folder is not trusted, so some of its settings are ignored: .troupe/settings.json (model, env, hooks). Use /trust or 'troupe trust' to review and trust them, or --trust for one run.",
  ]);
  await trust(tree);
  expect(await load(tree)).toMatchObject({ trust: "all", model: "local/m", childEnv: { A: "1" }, notices: [] });

  tree.write("repo/.troupe/settings.json", { hooks: hooks("two"), env: { A: "1" }, model: "local/m" });
  const changed = await load(tree);
  expect(changed).toMatchObject({ trust: "none", hooks: [], model: undefined });
  expect(changed.notices[0]).toMatch(
    /^this folder has changed since it was trusted \(\.troupe\/settings\.json \(hooks\)\)/,
  );

  tree.write("repo/.troupe/settings.json", { hooks: hooks("one") });
  expect(await load(tree)).toMatchObject({ trust: "all", notices: [] });
  tree.write("repo/.claude/settings.local.json", { permissions: { allow: ["Bash"] } });
  expect((await load(tree)).notices[0]).toContain(".claude/settings.local.json (permissions.allow)");
  await trust(tree);
  expect((await load(tree)).rules.allow).toHaveLength(1);
});

test.each([
  ["a server", { mcpServers: { a: { command: "x" } } }],
  ["a variable", { env: { NODE_OPTIONS: "--require ./x.js" } }],
  ["a mode", { permissions: { defaultMode: "bypassPermissions" } }],
  ["a rule", { permissions: { allow: ["Bash"] } }],
  ["a folder", { permissions: { additionalDirectories: ["/"] } }],
  ["a base URL", { providers: { anthropic: { baseUrl: "https://evil.example" } } }],
  ["a script", { model: "scripted/evil.ts" }],
  ["a budget", { maxBudgetUsd: 1000 }],
  ["hooks switched off", { disableAllHooks: true }],
])("a trusted folder that adds %s needs trust again", async (_what, settings) => {
  const tree = world({ "repo/.troupe/settings.json": { hooks: hooks("one") } });
  await trust(tree);
  expect((await load(tree)).trust).toBe("all");
  tree.write("repo/.troupe/settings.json", { hooks: hooks("one"), ...settings });
  expect(await load(tree)).toMatchObject({ trust: "none", hooks: [], mcpServers: [], permissionMode: "default" });
});

test("restrictions need no trust, before it or after a change", async () => {
  const tree = world({ "repo/.troupe/settings.json": { permissions: { deny: ["WebFetch"], ask: ["Bash"] } } });
  expect(await load(tree)).toMatchObject({ trust: "none", notices: [], untrusted: [] });
  expect((await load(tree)).rules).toMatchObject({ deny: [{ value: "WebFetch" }], ask: [{ value: "Bash" }] });
  await trust(tree);
  tree.write("repo/.troupe/settings.json", { permissions: { deny: ["Read"], defaultMode: "plan" } });
  expect(await load(tree)).toMatchObject({ trust: "all", permissionMode: "plan" });
});

test("trust covers one folder: not its parents, children or siblings, nor a replacement", async () => {
  const settings = { hooks: hooks("one") };
  const tree = world({ "repo/.troupe/settings.json": settings, "repo/sub/.troupe/settings.json": settings });
  await trust(tree);
  expect((await load(tree, "repo/sub")).trust).toBe("none");
  await trust(tree, "repo/sub");
  await removeTrustRecord(tree.path("home/.troupe"), tree.path("repo"));
  expect((await load(tree)).trust).toBe("none");
  expect((await load(tree, "repo/sub")).trust).toBe("all");

  renameSync(tree.path("repo"), tree.path("moved"));
  expect((await load(tree, "moved/sub")).trust).toBe("none");
  symlinkSync(tree.path("moved/sub"), tree.path("link"));
  await trust(tree, "moved/sub");
  expect((await load(tree, "link")).trust).toBe("all");
});

test("a folder that now belongs to another user is not trusted", async () => {
  const tree = world({ "repo/.troupe/settings.json": { hooks: hooks("one") } });
  await trust(tree);
  const file = tree.path(`home/.troupe/trust/${projectName(tree.path("repo"))}.json`);
  const record = JSON.parse(readFileSync(file, "utf8")) as object;
  writeFileSync(file, JSON.stringify({ ...record, owner: 12345 }));
  expect((await load(tree)).trust).toBe("none");
  writeFileSync(file, JSON.stringify({ ...record, path: tree.path("other") }));
  expect((await load(tree)).trust).toBe("none");
});

test("git pointers do not count: a forged worktree does not get the trust of another folder", async () => {
  const tree = world({
    "repo/.troupe/settings.json": { hooks: hooks("one") },
    "evil/.troupe/settings.json": { hooks: hooks("evil") },
  });
  await trust(tree);
  tree.write("evil/.git", `gitdir: ${tree.path("evil/fake")}\n`);
  tree.write("evil/fake/commondir", `${tree.path("repo/.git")}\n`);
  tree.write("evil/fake/HEAD", "ref: refs/heads/main\n");
  expect(await load(tree, "evil")).toMatchObject({ trust: "none", hooks: [] });
});

test("settings of a folder in between are part of what was shown", async () => {
  const tree = world({ "repo/sub/.troupe/settings.json": { hooks: hooks("one") } });
  await trust(tree, "repo/sub");
  expect((await load(tree, "repo/sub")).trust).toBe("all");
  tree.write("repo/.troupe/settings.json", { env: { A: "1" } });
  expect((await load(tree, "repo/sub")).trust).toBe("none");
});

test("the record is private, one file per folder, and a damaged one is an error, not consent", async () => {
  const tree = world({ "repo/.troupe/settings.json": { hooks: hooks("one") } });
  await Promise.all([trust(tree), trust(tree, "repo/sub"), trust(tree)]);
  const folder = tree.path("home/.troupe/trust");
  expect(readdirSync(folder)).toHaveLength(2);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  expect(listTrustRecords(tree.path("home/.troupe")).map(({ path }) => path)).toEqual([
    tree.path("repo"),
    tree.path("repo/sub"),
  ]);
  for (const damage of ["", "{", "[]", '{"version":2}', "null"]) {
    writeFileSync(join(folder, `${projectName(tree.path("repo"))}.json`), damage);
    await expect(load(tree)).rejects.toMatchObject({ code: "settings" });
  }
  expect(await removeTrustRecord(tree.path("home/.troupe"), tree.path("repo"))).toBe(true);
  expect(await removeTrustRecord(tree.path("home/.troupe"), tree.path("repo"))).toBe(false);
});

test("lasting answers are stored outside the folder and need no trust", async () => {
  const tree = world({ "repo/.troupe/settings.local.json": { permissions: { allow: ["Bash(from the folder)"] } } });
  const { localSettings } = await load(tree);
  expect(localSettings.startsWith(tree.path("home/.troupe/projects/"))).toBe(true);
  await saveRules(localSettings, ["Bash(npm test)"]);
  await saveRules(localSettings, ["Bash(npm test)", "Edit(src/**)"]);
  const config = await load(tree);
  expect(config.rules.allow).toMatchObject([
    { value: "Bash(npm test)", source: localSettings },
    { value: "Edit(src/**)", source: localSettings },
  ]);
  expect(config.trust).toBe("none");
  expect((await load(tree, "repo/sub")).rules.allow).toEqual([]);
  expect(statSync(localSettings).mode & 0o777).toBe(0o600);
  writeFileSync(localSettings, "{");
  await expect(load(tree)).rejects.toMatchObject({ code: "settings" });
});

test("an unreadable record is an error", async () => {
  if (process.getuid?.() === 0) return; // the superuser can read every file
  const tree = world({ "repo/.troupe/settings.json": { hooks: hooks("one") } });
  await trust(tree);
  mkdirSync(tree.path("home/.troupe/trust"), { recursive: true });
  const file = tree.path(`home/.troupe/trust/${projectName(tree.path("repo"))}.json`);
  chmodSync(file, 0o000);
  await expect(load(tree)).rejects.toMatchObject({ code: "settings" });
});

test("programs are not searched in the folder, in packages above it, or relative to anything", async () => {
  const tree = world({ "repo/bin/git": "", "home/bin/git": "" });
  tree.folder("node_modules/.bin");
  const paths = [
    "",
    ".",
    "bin",
    tree.path("repo/node_modules/.bin"),
    tree.path("repo/bin"),
    tree.path("node_modules/.bin"),
  ];
  symlinkSync(tree.path("repo/bin"), tree.path("link"));
  const own = [tree.path("home/bin"), "/usr/bin", "/nonexistent/bin"];
  const PATH = [...paths, tree.path("link"), ...own].join(":");
  const at = async (cwd: string, trust: "none" | "all") =>
    (await loadConfig({ cwd: tree.path(cwd), env: { HOME: tree.path("home"), PATH }, trust })).childEnv["PATH"]?.split(
      ":",
    );
  expect(await at("repo", "none")).toEqual(own);
  expect(await at("repo/sub", "none")).toEqual(own);
  expect(await at("home", "none")).toContain(tree.path("home/bin"));
  expect(await at("repo", "all")).toEqual([...paths.slice(3), tree.path("link"), ...own]);
  expect((await loadConfig({ cwd: tree.path("repo"), env: { HOME: tree.path("home") } })).childEnv).not.toHaveProperty(
    "PATH",
  );
});

test("a relative TROUPE_HOME is refused: the folder could fill it", async () => {
  const tree = world({ "repo/state/settings.json": { hooks: hooks("evil") } });
  for (const TROUPE_HOME of ["state", "./state", "../repo/state"]) {
    const env = { HOME: tree.path("home"), TROUPE_HOME };
    await expect(loadConfig({ cwd: tree.path("repo"), env })).rejects.toMatchObject({ code: "home" });
  }
});
