import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { protectedReason } from "../../../src/tool/permissions/protected-paths.ts";
import { guardedPaths, hiddenPaths } from "../../../src/tool/sandbox/sandbox-paths.ts";
import { temporaryFolder } from "../../support/files/temporary-folder.ts";

const root = () => realpathSync(temporaryFolder());

it("protects the same paths that no file tool may write", () => {
  const folder = root();
  writeFileSync(join(folder, ".envrc"), "");
  const guarded = guardedPaths({ roots: [folder], userHome: "/home/missing", writable: [] });
  expect(guarded.map((path) => path.slice(folder.length + 1))).toMatchInlineSnapshot(`
    [
      ".git",
      ".husky",
      ".troupe",
      ".claude",
      ".codex",
      ".gemini",
      ".cursor",
      ".opencode",
      ".qwen",
      ".windsurf",
      ".continue",
      ".vscode",
      ".idea",
      ".zed",
      ".fleet",
      ".devcontainer",
      ".mcp.json",
      ".envrc",
    ]
  `);
  for (const path of guarded) expect(protectedReason(path, { roots: [folder] }), path).toBeTypeOf("string");
});

it("protects shell start files when the home is a working folder, existing or not", () => {
  const home = root();
  const guarded = guardedPaths({ roots: [home], userHome: home, writable: [] });
  expect(guarded).toEqual(expect.arrayContaining([join(home, ".zshenv"), join(home, ".ssh"), join(home, ".config")]));
});

it("protects additional writable folders too, and unprotects what the user names", () => {
  const [folder, other] = [root(), root()];
  mkdirSync(join(folder, ".git"));
  writeFileSync(join(folder, ".git/config"), "");
  symlinkSync(other, join(folder, "link"));
  const writable = [join(folder, ".git"), join(folder, "link"), join(folder, "build")];
  const guarded = guardedPaths({ roots: [folder], userHome: "/home/missing", writable });
  expect(guarded).not.toContain(join(folder, ".git"));
  expect(guarded).toEqual(
    expect.arrayContaining([join(folder, ".git/hooks"), join(folder, ".git/config"), join(other, ".git")]),
  );
  expect(guarded).not.toContain(join(folder, "build/.git"));
});

it("hides the state folder and files with keys", () => {
  const hidden = hiddenPaths("/home/me", "/state");
  expect(hidden).toEqual(expect.arrayContaining(["/state", "/home/me/.ssh", "/home/me/.aws", "/home/me/.netrc"]));
});
