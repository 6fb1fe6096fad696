import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createWorktree, finishWorktree, land } from "../../../src/team/index.ts";
import { newAgentId, type TestRepository, testRepository } from "../../support/git/test-repository.ts";

/** A repository with two workspaces and installed packages. */
function installed(): TestRepository {
  const repo = testRepository();
  repo.commit("packages", {
    ".gitignore": "node_modules/\n.venv/\nvendor/\n.env\n",
    "package-lock.json": "{}\n",
    "packages/app/index.js": "",
    "packages/lib/index.js": 'module.exports = "of the checkout";\n',
  });
  repo.write("node_modules/tape/index.js", "module.exports = 1;\n");
  repo.write("node_modules/tape/bin.js", "#!/usr/bin/env node\n");
  chmodSync(join(repo.repo, "node_modules/tape/bin.js"), 0o755);
  utimesSync(join(repo.repo, "node_modules/tape/index.js"), 1_000_000, 1_000_000);
  mkdirSync(join(repo.repo, "node_modules/.bin"));
  symlinkSync("../tape/bin.js", join(repo.repo, "node_modules/.bin/tape"));
  symlinkSync("../packages/lib", join(repo.repo, "node_modules/lib"));
  symlinkSync(join(repo.repo, "packages/app"), join(repo.repo, "node_modules/app"));
  repo.write("packages/app/node_modules/left-pad/index.js", "");
  return repo;
}

const create = (repo: TestRepository, settings = {}) => createWorktree(repo.place, { agentId: newAgentId(), settings });

it("installed packages are in a new worktree, also those of workspaces", async () => {
  const repo = installed();
  const { path, notices, facts } = await create(repo);
  expect(notices).toEqual([]);
  expect(facts.ignored?.copied).toEqual(["node_modules", "packages/app/node_modules"]);
  expect(readFileSync(join(path, "node_modules/tape/index.js"), "utf8")).toBe("module.exports = 1;\n");
  expect(existsSync(join(path, "packages/app/node_modules/left-pad/index.js"))).toBe(true);
  expect(statSync(join(path, "node_modules/.bin/tape")).mode & 0o111).not.toBe(0);
  expect(statSync(join(path, "node_modules/tape/index.js")).mtimeMs).toBe(1_000_000_000);
});

it("an agent that changes its packages changes nothing in the checkout", async () => {
  const repo = installed();
  const { path } = await create(repo);
  writeFileSync(join(path, "node_modules/tape/index.js"), "changed");
  writeFileSync(join(path, "node_modules/.bin/new"), "new");
  expect(readFileSync(join(repo.repo, "node_modules/tape/index.js"), "utf8")).toBe("module.exports = 1;\n");
  expect(existsSync(join(repo.repo, "node_modules/.bin/new"))).toBe(false);
});

it("links between workspaces lead to the files of the worktree", async () => {
  const repo = installed();
  const { path } = await create(repo);
  writeFileSync(join(path, "packages/lib/index.js"), "mine");
  expect(readFileSync(join(path, "node_modules/lib/index.js"), "utf8")).toBe("mine");
  expect(readlinkSync(join(path, "node_modules/app"))).toBe(join(path, "packages/app"));
});

it("packages are not work: the worktree is removed with them", async () => {
  const repo = installed();
  const { path, name } = await create(repo);
  writeFileSync(join(path, "node_modules/tape/index.js"), "changed");
  expect(await finishWorktree(repo.place, { name })).toMatchObject({ outcome: "removed" });
  expect(existsSync(join(repo.repo, "node_modules/tape/index.js"))).toBe(true);
  expect(existsSync(path)).toBe(false);
});

it("an ignored folder that may hold work is kept if it changed", async () => {
  const repo = installed();
  repo.write("vendor/autoload.php", "<?php\n");
  const same = await create(repo);
  expect(same.facts.ignored?.copied).toContain("vendor");
  expect(await finishWorktree(repo.place, { name: same.name })).toMatchObject({ outcome: "removed" });
  const changed = await create(repo);
  writeFileSync(join(changed.path, "vendor/mine.php"), "<?php\n");
  const end = await finishWorktree(repo.place, { name: changed.name });
  expect(end).toMatchObject({ outcome: "kept", reasons: ["ignored: vendor, made or changed after the setup"] });
});

it("packages of another lock file come with a notice", async () => {
  const repo = installed();
  repo.write("package-lock.json", '{ "changed": true }\n');
  const { notices } = await create(repo);
  expect(notices).toContain(
    "node_modules was installed for another version of package-lock.json. Install again if a package is missing.",
  );
});

it("settings name other folders, or none, and a link wins", async () => {
  const repo = installed();
  expect((await create(repo, { dependencies: [] })).facts.ignored?.copied).toEqual([]);
  expect((await create(repo, { dependencies: ["app/node_modules"] })).facts.ignored?.copied).toEqual([
    "packages/app/node_modules",
  ]);
  const linked = await create(repo, { link: ["node_modules"] });
  expect(linked.facts.ignored).toMatchObject({ linked: ["node_modules"], copied: ["packages/app/node_modules"] });
});

it("no copy follows a link out of the worktree", async () => {
  const repo = installed();
  const other = join(repo.root, "other");
  mkdirSync(other);
  repo.git("rm", "-rq", "--cached", "packages/app");
  renameSync(join(repo.repo, "packages/app"), join(repo.root, "app"));
  symlinkSync(other, join(repo.repo, "packages/app"));
  repo.git("add", "packages/app");
  repo.git("commit", "-qm", "a link");
  // The checkout has the folder again, and the commit has the link.
  rmSync(join(repo.repo, "packages/app"));
  renameSync(join(repo.root, "app"), join(repo.repo, "packages/app"));
  const { path, facts } = await create(repo);
  expect(readlinkSync(join(path, "packages/app"))).toBe(other);
  expect(facts.ignored?.copied).toEqual(["node_modules"]);
  expect(readdirSync(other)).toEqual([]);
});

it("a Python environment works on the files of the worktree", async () => {
  const repo = installed();
  const venv = join(repo.repo, ".venv");
  const library = ".venv/lib/python3.12/site-packages";
  repo.write(".venv/pyvenv.cfg", `home = /usr/bin\ncommand = /usr/bin/python3 -m venv ${venv}\n`);
  repo.write(".venv/bin/pip", `#!${venv}/bin/python\nimport sys\n`);
  repo.write(".venv/bin/activate", `VIRTUAL_ENV="${venv}"\n`);
  repo.write(`${library}/__editable__.app.pth`, `${repo.repo}\n`);
  repo.write(`${library}/other.pth`, `${repo.repo}/src\n`);
  repo.write(`${library}/far/data.txt`, `${repo.repo}/src\n`);
  const { path } = await create(repo);
  const read = (file: string) => readFileSync(join(path, file), "utf8");
  expect(read(".venv/bin/pip")).toBe(`#!${path}/.venv/bin/python\nimport sys\n`);
  expect(read(".venv/bin/activate")).toBe(`VIRTUAL_ENV="${path}/.venv"\n`);
  expect(read(`${library}/__editable__.app.pth`)).toBe(`${path}\n`);
  expect(read(`${library}/other.pth`)).toBe(`${path}/src\n`);
  expect(read(`${library}/far/data.txt`)).toBe(`${repo.repo}/src\n`);
  expect(readFileSync(join(repo.repo, ".venv/bin/pip"), "utf8")).toBe(`#!${venv}/bin/python\nimport sys\n`);
});

it("the check of a landing has the installed packages", async () => {
  const repo = installed();
  repo.git("branch", "one");
  repo.git("switch", "-q", "one");
  repo.commit("work", { "b.txt": "b\n" });
  repo.git("switch", "-q", "main");
  const check = "node -e 'require(\"tape\")'";
  expect(await land(repo.place, { branches: ["one"], settings: { check } })).toMatchObject({ refused: [] });
});
