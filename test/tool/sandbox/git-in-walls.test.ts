import { appendFileSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { CommandPlace } from "../../../src/protocol/index.ts";
import { walledFolder, type WalledFolder } from "../../support/tools/walled-folder.ts";

const look: CommandPlace = { walls: "look" };
const work: CommandPlace = { walls: "work" };

describe("a hostile repository", () => {
  let place: WalledFolder;
  beforeAll(() => {
    place = walledFolder();
    place.git("work", "init", "-q");
    place.write("work/.gitattributes", "*.txt filter=f diff=d\n");
    place.git("work", "add", ".");
    place.git("work", "commit", "-qm", "one");
    place.write("work/a.txt", "b\n");
    place.program("work/run", "echo RAN >&2; cat");
    place.program("work/.git/hooks/post-index-change", "echo RAN >&2");
    place.program("work/.git/hooks/pre-commit", "echo RAN >&2");
    const run = place.path("work/run");
    appendFileSync(
      place.path("work/.git/config"),
      `[filter "f"]\n\tclean = ${run}\n\tprocess = ${run}\n[diff]\n\texternal = ${run}\n[diff "d"]\n\tcommand = ${run}\n\ttextconv = ${run}\n` +
        `[log]\n\tshowSignature = true\n[gpg]\n\tprogram = ${run}\n[core]\n\tsshCommand = ${run}\n\tfsmonitor = ${run}\n\tpager = ${run}\n` +
        `[alias]\n\tst = !${run}\n[remote "origin"]\n\turl = ssh://localhost/x\n\tpromisor = true\n[extensions]\n\tpartialClone = origin\n`,
    );
  });
  afterAll(() => place.close());

  it.each([
    "git status --short",
    "git diff",
    "git diff --cached",
    "git log -p --format=%G?",
    "git show HEAD",
    "git blame a.txt",
    "git cat-file --textconv HEAD:a.txt",
    "git show 0123456789012345678901234567890123456789",
    "git ls-remote",
  ])("runs nothing when a command looks at it: %s", async (script) => {
    expect((await place.open({ trusted: true }).run(look, script)).output).not.toContain("RAN");
  });

  it("still shows its state", async () => {
    expect(await place.open().run(look, "git status --short a.txt")).toEqual({ exitCode: 0, output: " M a.txt\n" });
  });

  it("runs no hook and no driver of an untrusted repository", async () => {
    const { output, exitCode } = await place
      .open()
      .run({ walls: "work", git: true }, "git add a.txt && git commit -qm two");
    expect([output, exitCode]).toEqual(["", 0]);
  });
});

describe("an agent in its own worktree", () => {
  let place: WalledFolder;
  beforeAll(() => {
    place = walledFolder();
    place.git("work", "init", "-q", "-b", "main");
    place.git("work", "add", ".");
    place.git("work", "commit", "-qm", "one");
    place.git("work", "branch", "troupe/other");
    place.git("work", "tag", "packed");
    place.git("work", "pack-refs");
    place.git("work", "worktree", "add", "-q", "-b", "troupe/own", "../own");
    place.program("work/.git/hooks/pre-commit", "echo RAN; exit 1");
  });
  afterAll(() => place.close());

  const openOwn = (trusted: boolean) => place.open({ root: place.path("own"), mainTop: place.path("work"), trusted });

  it("commits, without the hooks of an untrusted repository", async () => {
    const { output, exitCode } = await openOwn(false).run(
      work,
      "echo x > new.txt && git add -A && git commit -qm two && git log --format=%s -1",
    );
    expect([output, exitCode]).toEqual(["two\n", 0]);
    expect(place.git("work", "log", "--format=%s", "-1", "troupe/own")).toBe("two\n");
  });

  it("runs the hooks of a trusted repository, inside the walls", async () => {
    const script = "git commit -q --allow-empty -m three";
    const { output, exitCode } = await openOwn(true).run(work, script);
    expect([output, exitCode]).toEqual(["RAN\n", 1]);
  });

  it.each([
    ["the settings", "git config core.fsmonitor /bin/true"],
    ["a hook", "echo x > ../work/.git/hooks/post-commit"],
    ["the other settings", "echo x > ../work/.git/info/attributes"],
    ["the main branch", "git update-ref refs/heads/main HEAD"],
    ["another agent's branch", "echo x > ../work/.git/refs/heads/troupe/other"],
    ["where its data is", "echo /tmp > $(git rev-parse --git-dir)/commondir"],
    ["packed branches", "echo x > ../work/.git/packed-refs"],
    ["packs", "echo x > ../work/.git/objects/pack/x"],
    ["the main checkout", "echo x > ../work/a.txt"],
    ["its .git file", "echo 'gitdir: /tmp' > .git"],
  ])("cannot change %s", async (_what, script) => {
    const before = place.git("work", "for-each-ref");
    expect((await openOwn(true).run(work, script)).exitCode).not.toBe(0);
    expect(place.git("work", "for-each-ref")).toBe(before);
    expect(readFileSync(place.path("work/a.txt"), "utf8")).toBe("a\n");
    expect(place.has("work/.git/hooks/post-commit")).toBe(false);
  });

  describe("brings its branch up to date", () => {
    const agent = () => openOwn(false);
    beforeAll(() => {
      place.git("work", "pack-refs", "--all");
      place.git("own", "commit", "-q", "--no-verify", "--allow-empty", "-m", "before");
      place.write("own/a.txt", "agent\n");
      place.git("own", "commit", "-q", "--no-verify", "-am", "of the agent");
      place.write("work/a.txt", "main\n");
      place.git("work", "commit", "-q", "--no-verify", "-am", "of main");
      place.git("work", "tag", "start", "troupe/own");
    });
    beforeEach(() => {
      place.git("own", "checkout", "-q", "troupe/own");
      place.git("own", "reset", "-q", "--hard", "start");
    });
    const state = () => [
      place.git("own", "status", "--short", "--branch", "--untracked-files=no"),
      place.git("work", "log", "--format=%s", "-2", "troupe/own"),
    ];
    const conflict = { exitCode: 1, output: expect.stringContaining("CONFLICT") as string };

    it("with a rebase that it continues in a later command", async () => {
      expect(await agent().run(work, "git rebase main 2>&1")).toEqual(conflict);
      const { exitCode, output } = await agent().run(
        work,
        "echo both > a.txt && git add a.txt && GIT_EDITOR=true git rebase --continue 2>&1",
      );
      expect([exitCode, output]).toEqual([0, expect.not.stringMatching(/read-only|cannot|unable/i)]);
      expect(state()).toEqual(["## troupe/own\n", "of the agent\nbefore\n"]);
      expect(place.git("work", "merge-base", "main", "troupe/own")).toBe(place.git("work", "rev-parse", "main"));
    });

    it("with a rebase that it gives up in a later command", async () => {
      expect(await agent().run(work, "git rebase main 2>&1")).toEqual(conflict);
      expect(await agent().run(work, "git rebase --abort 2>&1")).toEqual({ exitCode: 0, output: "" });
      expect(state()).toEqual(["## troupe/own\n", "of the agent\nbefore\n"]);
    });

    it.each(["merge", "cherry-pick"])("with a %s", async (verb) => {
      expect(await agent().run(work, `git ${verb} main 2>&1`)).toEqual(conflict);
      const finish = `echo both > a.txt && git add a.txt && GIT_EDITOR=true git ${verb} --continue 2>&1`;
      expect((await agent().run(work, finish)).exitCode).toBe(0);
      expect(state()[0]).toBe("## troupe/own\n");
    });
  });

  it("cannot make the branch of another checkout its own", async () => {
    const head = place.path("work/.git/worktrees/own/HEAD");
    const before = place.git("work", "rev-parse", "main");
    await openOwn(true).run(work, `echo 'ref: refs/heads/main' > ${head}`);
    const { exitCode } = await openOwn(false).run(work, "git commit -q --allow-empty -m forged");
    place.write("work/.git/worktrees/own/HEAD", "ref: refs/heads/troupe/own\n");
    expect([exitCode === 0, place.git("work", "rev-parse", "main")]).toEqual([false, before]);
  });

  it("cannot make a branch its own that no checkout uses", async () => {
    place.git("work", "branch", "release", "main");
    const before = place.git("work", "rev-parse", "release");
    const agent = openOwn(false);
    await agent.run(work, "git checkout -q release");
    await agent.run(work, "git commit -q --allow-empty -m forged");
    await openOwn(false).run(work, "git commit -q --allow-empty -m forged");
    const after = place.git("work", "rev-parse", "release");
    place.git("own", "checkout", "-q", "-f", "troupe/own");
    expect(after).toBe(before);
  });

  it("cannot change a packed branch of another agent, nor its log", async () => {
    place.git("work", "pack-refs", "--all");
    const before = place.git("work", "rev-parse", "troupe/other");
    const log = place.path("work/.git/logs/refs/heads/troupe/other");
    const logged = readFileSync(log, "utf8");
    const { output } = await openOwn(false).run(
      work,
      "git commit -q --allow-empty -m own; git rev-parse HEAD > ../work/.git/refs/heads/troupe/other; git update-ref refs/heads/troupe/other HEAD; echo x >> ../work/.git/logs/refs/heads/troupe/other",
    );
    expect(output).toMatch(/read-only/i);
    expect([place.git("work", "rev-parse", "troupe/other"), readFileSync(log, "utf8")]).toEqual([before, logged]);
    expect(place.git("work", "log", "--format=%s", "-1", "troupe/own")).toBe("own\n");
  });

  it("opens no folder that a link among the branches leads to", async () => {
    const folder = place.path("outside/empty");
    mkdirSync(folder);
    const agent = openOwn(false);
    await agent.run(
      work,
      `ln -s ${folder} ../work/.git/refs/heads/troupe/x; ln -s ${folder} ../work/.git/logs/refs/heads/troupe/x`,
    );
    await agent.run(work, "echo 'ref: refs/heads/troupe/x/y' > ../work/.git/worktrees/own/HEAD");
    for (const walled of [agent, openOwn(false)]) await walled.run(work, `echo x > ${folder}/made`);
    place.write("work/.git/worktrees/own/HEAD", "ref: refs/heads/troupe/own\n");
    expect(readdirSync(folder)).toEqual([]);
    expect((await agent.run(work, "git commit -q --allow-empty -m after")).exitCode).toBe(0);
  });

  it("leaves nothing beside the files of git", async () => {
    const { exitCode } = await openOwn(true).run(work, "echo /tmp > ../work/.git/commondir");
    expect([exitCode, place.has("work/.git/commondir")]).toEqual([0, false]);
  });

  it("a folder that only claims to be a worktree gets no git data", async () => {
    place.write("forged/.git", `gitdir: ${place.path("work/.git/worktrees/own")}\n`);
    const walled = place.open({ root: place.path("forged"), trusted: true });
    expect((await walled.run(work, "echo x > ../work/.git/objects/x")).exitCode).not.toBe(0);
  });
});
