import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openSnapshots, type SnapshotLimits, type Snapshots } from "../../../src/platform/index.ts";

const limits: SnapshotLimits = { maxFileBytes: 1000, maxIgnoredBytes: 100, maxFiles: 1000 };
let root: string;
let folder: string;
let snapshots: Snapshots;

const open = (more: Partial<SnapshotLimits> = {}, name = "own") =>
  openSnapshots({
    folder,
    store: join(root, "store"),
    indexFile: async () => join(root, name, "index"),
    excluded: ["state"],
    env: { PATH: process.env["PATH"] ?? "" },
    limits: { ...limits, ...more },
  });
const put = (path: string, text: string | Buffer) => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
};
const read = (path: string) => readFileSync(join(folder, path), "utf8");
const keptNothing = async () => undefined;
const git = (...args: string[]) => execFileSync("git", ["-C", folder, ...args], { encoding: "utf8" });

/** Every file below the folder with its content, without `.git`. Each character of a name is a byte. */
const contents = (): Record<string, string> =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: "latin1" })
      .filter((path) => !path.startsWith(".git/") && path !== ".git" && !lstatSync(bytes(path)).isDirectory())
      .sort()
      .map((path) => {
        const stats = lstatSync(bytes(path));
        const text = stats.isSymbolicLink() ? `-> ${readlinkSync(bytes(path))}` : readFileSync(bytes(path), "latin1");
        return [path, stats.isFile() && (stats.mode & 0o100) !== 0 ? `x ${text}` : text];
      }),
  );
const bytes = (path: string) => Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(path, "latin1")]);

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "troupe-snapshots-")));
  folder = join(root, "work");
  mkdirSync(folder);
  snapshots = open();
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe("a snapshot", () => {
  it("brings back every byte, link and executable bit, and forward again", async () => {
    put("a.txt", "one\r\ntwo\n");
    put(".gitattributes", "*.txt text eol=lf ident filter=lfs working-tree-encoding=UTF-16\n");
    put("binary", Buffer.from([0, 255, 13, 10, 13]));
    put("deep/er/run.sh", "#!/bin/sh\n");
    chmodSync(join(folder, "deep/er/run.sh"), 0o755);
    symlinkSync("../a.txt", join(folder, "deep/link"));
    put('odd "na\\me\n', "odd");
    writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0x66, 0xff])]), "not UTF-8");
    const first = contents();
    const one = await snapshots.take();
    expect(await snapshots.take()).toBe(one);

    put("a.txt", "$Id$ changed\r\n");
    rmSync(join(folder, "deep"), { recursive: true });
    put("deep", "a file in the place of a folder");
    rmSync(join(folder, "binary"));
    put("binary/inner", "a folder in the place of a file");
    put("new/file", "new");
    const second = contents();
    const restored = await snapshots.restore(one, keptNothing);
    expect(contents()).toEqual(first);
    expect(restored.after).toBe(one);
    expect(existsSync(join(folder, "new"))).toBe(false);
    expect((await snapshots.restore(restored.before, keptNothing)).after).toBe(restored.before);
    expect(contents()).toEqual(second);
  });

  it("is the same for many files in one pack as for a few in single objects", async () => {
    for (let at = 0; at < 40; at++) put(`d${at % 7}/f${at}`, `text ${at}`);
    const many = await snapshots.take();
    for (let at = 0; at < 40; at++) put(`d${at % 7}/f${at}`, `text ${at}!`);
    rmSync(join(folder, "d3"), { recursive: true });
    const changed = await snapshots.take();
    put("d1/f1", "text 1");
    await snapshots.take();
    for (let at = 0; at < 40; at++) put(`d${at % 7}/f${at}`, `text ${at}`);
    expect(await snapshots.take()).toBe(many);
    expect((await snapshots.restore(changed, keptNothing)).after).toBe(changed);
    expect(read("d1/f1")).toBe("text 1!");
    expect(existsSync(join(folder, "d3"))).toBe(false);
    // Another process starts with the index of this one, or without.
    await snapshots.close();
    expect(await open({}, "other").take()).toBe(changed);
    rmSync(join(root, "store", "shared-index"), { force: true });
    expect(await open({}, "third").take()).toBe(changed);
    for (const path of readdirSync(folder)) rmSync(join(folder, path), { recursive: true });
    expect((await open({}, "other").restore(many, keptNothing)).changed).toBe(40);
  });

  it("leaves the user's repository, branch and index as they are", async () => {
    git("init", "-q", "-b", "main");
    put("a", "1");
    git("add", "a");
    const facts = () => [git("status", "--porcelain=v2", "--branch"), git("for-each-ref"), git("count-objects")];
    const before = facts();
    const one = await snapshots.take();
    expect(facts()).toEqual(before);
    put("a", "2");
    await snapshots.restore(one, keptNothing);
    expect(facts()).toEqual(before);
  });

  it("keeps small ignored files, and no large file, ignored folder or nested repository", async () => {
    git("init", "-q");
    put(".gitignore", ".env\nnode_modules/\nbig.log\n");
    put(".git/info/exclude", "private\n");
    put(".env", "KEY=1");
    put("private", "x");
    put("big.log", "l".repeat(101));
    put("big.bin", "b".repeat(1001));
    put("state/log", "excluded");
    put("node_modules/x/index.js", "x");
    put("nested/file", "x");
    execFileSync("git", ["init", "-q", join(folder, "nested")]);
    chmodSync(join(folder, ".env"), 0o600);
    const one = await snapshots.take();
    const none = await open({ maxIgnoredBytes: 0 }, "none").take();
    const empty = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
    expect((await snapshots.changes(empty, one)).map(({ path }) => path)).toEqual([".env", ".gitignore", "private"]);
    expect((await snapshots.changes(empty, none)).map(({ path }) => path)).toEqual([".gitignore"]);
    put(".env", "KEY=2");
    put("big.bin", "c".repeat(1001));
    await snapshots.restore(one, keptNothing);
    expect(read(".env")).toBe("KEY=1");
    expect(statSync(join(folder, ".env")).mode & 0o777).toBe(0o600);
    expect(read("big.bin")).toBe("c".repeat(1001));
    expect(read("nested/file")).toBe("x");
  });

  it("loses no file that it does not have: it is kept before it is overwritten", async () => {
    put("grows", "small");
    put("spot", "file");
    put("way/in", "file");
    const one = await snapshots.take();
    put("grows", "g".repeat(5000));
    rmSync(join(folder, "spot"));
    put(".gitignore", "spot/\n/way\n");
    put("spot/cache", "s".repeat(5000));
    rmSync(join(folder, "way"), { recursive: true });
    put("way", "w".repeat(5000));
    const second = contents();
    let kept = "";
    const { before } = await snapshots.restore(one, async (tree) => void (kept = tree));
    expect(kept).toBe(before);
    expect(contents()).toEqual({ grows: "small", spot: "file", "way/in": "file" });
    await snapshots.restore(before, keptNothing);
    expect(contents()).toEqual(second);
  });

  it("stops before it deletes a nested repository", async () => {
    put("spot", "file");
    const one = await snapshots.take();
    rmSync(join(folder, "spot"));
    execFileSync("git", ["init", "-q", join(folder, "spot")]);
    await expect(snapshots.restore(one, keptNothing)).rejects.toThrow("a repository is in its place");
    expect(existsSync(join(folder, "spot/.git"))).toBe(true);
  });

  it("writes and deletes nothing behind a link to another folder", async () => {
    put("inside/a", "1");
    put("inside/b", "1");
    const one = await snapshots.take();
    const outside = join(root, "outside");
    mkdirSync(outside);
    writeFileSync(join(outside, "a"), "outside");
    rmSync(join(folder, "inside"), { recursive: true });
    symlinkSync(outside, join(folder, "inside"));
    const { before } = await snapshots.restore(one, keptNothing);
    expect(contents()).toEqual({ "inside/a": "1", "inside/b": "1" });
    await snapshots.restore(before, keptNothing);
    expect(readlinkSync(join(folder, "inside"))).toBe(outside);
    expect(readdirSync(outside)).toEqual(["a"]);
    expect(readFileSync(join(outside, "a"), "utf8")).toBe("outside");
  });

  it("shows the difference as a patch or a table, for all or some paths", async () => {
    put("a", "1\n");
    const one = await snapshots.take();
    put("a", "2\n");
    put("b", "3\n");
    const two = await snapshots.take();
    const patch = await snapshots.diff(one, two);
    expect(patch).toContain("-1\n+2\n");
    expect(patch).toContain("+3\n");
    expect(await snapshots.diff(one, two, { paths: ["b"] })).not.toContain("+2");
    expect(await snapshots.diff(one, two, { stat: true })).toContain("2 files changed");
  });

  it("says why it cannot keep a folder", async () => {
    for (let at = 0; at < 5; at++) put(`f${at}`, "");
    await expect(open({ maxFiles: 4 }, "few").take()).rejects.toThrow("Raise checkpoints.maxFiles");
    const without = openSnapshots({
      folder,
      store: join(root, "s"),
      indexFile: async () => join(root, "i"),
      excluded: [],
      env: { PATH: root },
      limits,
    });
    await expect(without.take()).rejects.toThrow("git is not installed");
  });
});
