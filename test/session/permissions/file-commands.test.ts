import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { gitPins, shellEnvironment } from "../../../src/tool/index.ts";
import { fileWorkplace, git } from "../../support/shell/file-workplace.ts";

describe("an agent whose edits are accepted", () => {
  const allowed = [
    "mkdir -p new/deep",
    "touch new.js lib/new.js",
    "mv a.js z.js",
    "mv a.js lib/",
    "mv a.js b.js lib",
    "mv lib lib2",
    "mkdir x && mv a.js x/",
    "mkdir x && mv lib x/ && git status",
    "cp a.js z.js",
    "cp a.js b.js",
    "cp -r lib lib2",
    "rm a.js",
    "rm -f a.js b.js",
    "rm -rf lib",
    "rm a-link",
    "rmdir data",
    "sed -i s/a/b/ a.js",
    "sed -i -e 's/a/b/g' -e 2d a.js lib/c.js",
    "sed -Ei 's/(a)/b/' a.js",
    "echo x > new.txt",
    "echo x >> a.js",
    "cat > lib/new.js <<'EOF'\ntext\nEOF",
    "ls | tee list.txt",
    "cd lib && mv c.js d.js",
    "timeout 5 rm a.js",
    "git add -A",
    "git add a.js lib",
    "git add .",
    "git mv a.js z.js",
    "git mv a.js b.js lib",
    "git mv lib/ lib2",
    "mkdir -p src && git mv a.js b.js src/",
    "mkdir -p src && git mv a.js src/a.js && git mv b.js src/b.js && ls src",
    "mkdir -p src && mv a.js src/a.js && mv b.js src/b.js && ls src",
    "git rm a.js",
    "git rm -r --cached lib",
    "mv a.js z.js && git add -A",
    "rm a.js; ls; git status --short",
    // patterns, file by file
    "rm *.js",
    "rm ?.js lib/*.js",
    "rm -rf lib/*",
    "cd lib && rm *.js",
    "rm *.js && git add -A && git status",
    "mv *.js lib",
    "cp *.js lib/deep",
    "sed -i s/a/b/ *.js",
    "git add *.js",
  ];
  const refused = [
    // patterns, variables and everything that is not a plain word
    "rm *",
    "rm -rf *",
    "rm -rf .*",
    "rm *.txt",
    "rm nothing*",
    "rm */",
    "rm ../main/*.js",
    "rm [ab].js",
    "rm **/*.js",
    "rm out/*",
    "rm *o-l*k/*",
    "cp * lib",
    "cd lib; rm *.js",
    "mv b.js *.js",
    "touch *.js",
    "echo x > *.js",
    "mv notes.txt b.js.tmp && rm *.tmp",
    "mv notes.txt a.js && rm *.js",
    "for f in 1 2; do rm *.js; mv notes.txt n.js; done",
    // a moved file of the user, replaced or removed in the same line
    "mv notes.txt n.txt && rm n.txt",
    "mv notes.txt n.txt && mv a.js n.txt",
    "mv notes.txt n.txt && echo x > n.txt",
    "mv data lib/ && rm -rf lib",
    "rm $x",
    'rm "$x"',
    "rm $(echo a.js)",
    "rm {a,b}.js",
    "for f in a.js b.js; do rm $f; done",
    "echo a.js | xargs rm",
    "find . -name '*.js' -delete",
    "find . -name '*.js' -exec rm {} +",
    "bash -c 'rm a.js'",
    // the folder itself, and what is above it
    "rm -rf .",
    "rm -rf ./",
    "rm -rf ..",
    "rm -rf lib/..",
    "rm -rf /",
    "rm -rf ~",
    "rm -rf $PWD",
    "mv . x",
    "mv ../main x",
    "mv a.js ../y",
    "cp a.js ../y",
    "mkdir ../new",
    "touch /tmp/new",
    "echo x > ../y",
    "cd .. && touch x",
    "cd lib && rm ../a.js",
    // links that lead out
    "touch out/x",
    "mkdir out/x",
    "mv a.js out/",
    "cp a.js out",
    "cp a.js o-link",
    "rm -rf out/o.txt",
    "rm -rf out/../a.js",
    "echo x > out/o.txt",
    "echo x > o-link",
    "tee o-link < a.js",
    "sed -i s/o/x/ o-link",
    "echo x > hard.txt",
    "mv out m && cat m/o.txt",
    "mv out m && echo x > m/o.txt",
    "mv out m && rm m/o.txt",
    "git mv out m && cat m/o.txt",
    "git mv a.js out lib && cat lib/out/o.txt",
    "git mv o-link m && echo x > m",
    "git mv a.js b.js out",
    "git mv a.js tpl x",
    "git mv a.js .env lib",
    "git mv a.js ../y lib",
    "mkdir -p .git/hooks && git mv a.js b.js .git/hooks",
    "git mv a.js",
    "cp -r out m",
    "ln -s / l",
    // secrets
    "cp ~/.ssh/id .",
    "cp .env env.txt",
    "mv .env env.txt",
    "git mv .env env.txt",
    "git add .env",
    "cat .env > x.txt",
    // files that git cannot restore
    "rm notes.txt",
    "rm -rf data",
    "rm .env",
    "mv a.js notes.txt",
    "cp a.js notes.txt",
    "echo x > notes.txt",
    "sed -i s/a/b/ notes.txt",
    // places that other programs run or obey
    "rm -rf .git",
    "mv .git g",
    "echo x > .git/hooks/pre-commit",
    "cp a.js .git/hooks/pre-commit",
    "mkdir .claude",
    "touch .mcp.json",
    "mkdir -p x/.husky",
    "cp tpl/.husky/pre-commit .husky/pre-commit",
    "cp -r tpl/. .",
    "cp -r tpl x",
    "mv tpl x",
    "rm -rf nested",
    "mv nested/.claude .",
    "cp nested/.claude/settings.json .claude/settings.json",
    // options that do more
    "cp -a lib x",
    "cp -l a.js x",
    "cp -s a.js x",
    "cp -t lib a.js",
    "cp --target-directory=/tmp a.js",
    "mv -t /tmp a.js",
    "mv --backup a.js b.js",
    "touch -r ~/.ssh/id a.js",
    "mkdir -m 777 x",
    "rm --no-preserve-root -rf lib",
    "rmdir -p lib/deep",
    "sed -i.bak s/a/b/ a.js",
    "sed -ei s/a/b/ a.js",
    "sed -ie s/a/b/ a.js",
    "sed -i 's/a/b/e' a.js",
    "sed -i 's/a/b/w out/x' a.js",
    "sed -i '1e touch x' a.js",
    "sed --in-place=.bak s/a/b/ a.js",
    "chmod +x a.js",
    "truncate -s 0 a.js",
    "FOO=1 rm a.js",
    // git beyond the plain forms
    "git add -f .env",
    "git -C /tmp add a.js",
    "git -c core.hooksPath=x add a.js",
    "git -c alias.x=!ls x",
    "git add -p",
    "git add ':(top).env'",
    "git add ../x",
    "git mv -f a.js b.js",
    "git rm -f a.js",
    "git push",
    "git checkout a.js",
    "git reset --hard",
    "git stash",
    "git clean -fd",
    "git --git-dir=x add a.js",
  ];

  test("may run commands on files in its folder", async () => {
    const { main, agent } = fileWorkplace();
    for (const command of allowed) expect([command, await agent(main).bash(command)]).toEqual([command, "allow"]);
  });

  test("needs permission for commands that reach further", async () => {
    const { main, agent } = fileWorkplace();
    for (const command of refused) expect([command, await agent(main).bash(command)]).not.toEqual([command, "allow"]);
  });

  test("reads all rules for a move beside other commands at once, and a rule for the move alone", async () => {
    const { main, agent } = fileWorkplace();
    const decision = await agent(main).decide("Bash", {
      command: "mkdir x && git mv lib x/lib && git mv a.js x && ls x",
    });
    expect(decision).toMatchObject({
      behavior: "ask",
      refusal: {
        part: "`git mv lib x/lib`",
        why: "it moves something that is not a plain file now, and that could be or contain a link: run it by itself, with only cd, mkdir or touch before it and git after it",
        rules: ["Bash(git mv lib x/lib)"],
      },
    });
  });

  test("commits and restores only in its own worktree", async () => {
    const { tree, main, own, agent } = fileWorkplace();
    const lines = [
      "git commit -m 'a change'",
      "git add -A && git commit -qm done",
      `git commit -m "$(cat <<'EOF'\nTitle\n\nBody\nEOF\n)"`,
      "git commit -F - <<'EOF'\nTitle\nEOF",
      "git commit -a --message=x",
      "git commit -F b.js",
      "git restore a.js",
      "git restore --staged .",
    ];
    for (const line of lines) {
      expect([line, await agent(own).bash(line)]).toEqual([line, "allow"]);
      expect([line, await agent(main).bash(line)]).toEqual([line, "ask"]);
    }
    for (const line of [
      "git commit --no-verify -m x",
      "git commit -nm x",
      "git commit --amend -m x",
      "git commit -m $x",
      "git commit -F .env",
      "git commit -F *.js",
      `git commit -F ${tree.path("outside/o.txt")}`,
      "git -c user.name=x commit -m x",
      `git -C ${main} commit -m x`,
      `cd ${main} && git commit -m x`,
      "git commit --author=x -m x",
      "git restore --source=main a.js",
    ])
      expect([line, await agent(own).bash(line)]).toEqual([line, "ask"]);
  });

  test("a rule for git commit also holds beside git add, and then the hooks run", async () => {
    const { main, agent } = fileWorkplace();
    const { decide } = agent(main, { rules: { allow: ["Bash(git commit:*)", "Bash(npm test)"] } });
    const decision = await decide("Bash", { command: "git add -A && git commit -m 'a change'" });
    expect(decision).toMatchObject({ behavior: "allow", changes: { git: false } });
    expect(await decide("Bash", { command: "git add -A" })).toMatchObject({ changes: { git: true } });
    const refusal = { why: expect.stringContaining("run the git commands in a separate call") };
    expect(await decide("Bash", { command: "npm test && git add -A" })).toMatchObject({ behavior: "ask", refusal });
  });

  test("a refused commit is not told how to quote, and a refused move is not told to run the rest", async () => {
    const { main, agent } = fileWorkplace();
    const { decide } = agent(main);
    const commit = await decide("Bash", { command: 'git add -A && git commit -m "Use `a`"' });
    expect(commit).toMatchObject({ refusal: { hints: [{ kind: "commit", worktree: true }] } });
    const move = await decide("Bash", { command: "mv notes.txt n.txt && rm n.txt" });
    expect(move).toMatchObject({ refusal: { part: "`mv notes.txt n.txt`", hints: [] } });
    const offered = await decide("Bash", { command: "git add -A && git commit -m 'Use `a`'" });
    expect(offered).toMatchObject({ refusal: { rules: ["Bash(git commit:*)"] } });
  });

  test("removes in its own worktree also what git does not track, but follows no link out of it", async () => {
    const { main, own, agent } = fileWorkplace();
    writeFileSync(join(own, "scratch.txt"), "mine");
    symlinkSync(join(main, "data"), join(own, "data"));
    expect(await agent(own).bash("rm scratch.txt")).toBe("allow");
    expect(await agent(own).bash("rm data")).toBe("allow");
    expect(await agent(own).bash("rm -rf data/x.bin")).toBe("ask");
    expect(await agent(own).bash(`rm ${main}/a.js`)).toBe("ask");
    expect(await agent(own).bash(`cp ${main}/a.js z.js`)).toBe("allow");
  });

  test("may remove and replace what it has created itself", async () => {
    const { main, agent } = fileWorkplace();
    const { bash, decide } = agent(main);
    expect(await bash("rm made.txt notes.txt")).toBe("ask");
    await decide("Write", { file_path: join(main, "made.txt"), content: "x" });
    expect(await bash("mkdir -p tmp")).toBe("allow");
    writeFileSync(join(main, "made.txt"), "x");
    mkdirSync(join(main, "tmp"));
    writeFileSync(join(main, "tmp/out.log"), "x");
    expect(await bash("rm made.txt")).toBe("allow");
    expect(await bash("rm -rf tmp")).toBe("allow");
    expect(await bash("rm notes.txt")).toBe("ask");
  });

  test("does not remove a file of the user at the place where it has moved it", async () => {
    const { main, agent } = fileWorkplace();
    const { bash, decide } = agent(main);
    await decide("Write", { file_path: join(main, "made.txt"), content: "x" });
    writeFileSync(join(main, "made.txt"), "x");
    expect(await bash("mkdir -p tmp")).toBe("allow");
    mkdirSync(join(main, "tmp"));
    for (const [line, from, to] of [
      ["mv notes.txt n.tmp", "notes.txt", "n.tmp"],
      ["mv n.tmp tmp/", "n.tmp", "tmp/n.tmp"],
      ["mv tmp/n.tmp made.txt", "tmp/n.tmp", "made.txt"],
      ["mv made.txt tmp/back", "made.txt", "tmp/back"],
      ["mv tmp other", "tmp", "other"],
    ] as const) {
      expect([line, await bash(line)]).toEqual([line, "allow"]);
      renameSync(join(main, from), join(main, to));
      expect([to, await bash(`rm -rf ${to}`)]).toEqual([to, "ask"]);
    }
    expect(await bash("rm other/b*")).toBe("ask");
    expect(await bash("mv a.js moved.js")).toBe("allow");
    renameSync(join(main, "a.js"), join(main, "moved.js"));
    expect(await bash("rm moved.js")).toBe("allow");
  });

  test("does not remove a file of the user that is only staged", async () => {
    const { main, agent } = fileWorkplace();
    const { bash } = agent(main);
    expect(await bash("git add notes.txt")).toBe("allow");
    git(main, "add", "notes.txt");
    expect(await bash("rm notes.txt")).toBe("ask");
  });

  test("does not take a file whose name looks like an option for a file", async () => {
    const { main, agent } = fileWorkplace();
    const { bash } = agent(main);
    writeFileSync(join(main, "lib/-f"), "of the user");
    expect(await bash("cd lib && rm *")).toBe("ask");
    expect(await bash("cd lib && rm ./*")).toBe("ask");
    expect(await bash("rm -rf lib/*")).toBe("ask");
  });

  test("does not remove or overwrite changes of the user that are not committed", async () => {
    const { main, agent } = fileWorkplace();
    const { bash, decide } = agent(main);
    writeFileSync(join(main, "a.js"), "the user works on it");
    expect(await bash("rm a.js")).toBe("ask");
    expect(await bash("cp b.js a.js")).toBe("ask");
    await decide("Edit", { file_path: join(main, "a.js"), old_string: "user", new_string: "agent" });
    expect(await bash("rm a.js")).toBe("ask");
    await decide("Edit", { file_path: join(main, "b.js"), old_string: "b", new_string: "c" });
    writeFileSync(join(main, "b.js"), "c");
    expect(await bash("sed -i s/c/d/ b.js")).toBe("allow");
    expect(await bash("rm b.js")).toBe("allow");
  });

  test("rules for Edit and for commands go first", async () => {
    const { main, agent } = fileWorkplace();
    const rules = { deny: ["Edit(lib/**)"], ask: ["Bash(rm:*)", "Edit(b.js)"] };
    const { bash } = agent(main, { rules });
    expect(await bash("touch lib/x.js")).toBe("deny");
    expect(await bash("cp a.js lib/x.js")).toBe("deny");
    expect(await bash("mv lib lib2")).toBe("deny");
    expect(await bash("rm a.js")).toBe("ask");
    expect(await bash("cp a.js b.js")).toBe("ask");
    expect(await bash("cp a.js z.js")).toBe("allow");
  });
});

test.each(["default", "plan", "dontAsk"] as const)("in mode %s no command changes files", async (mode) => {
  const { main, agent } = fileWorkplace();
  for (const line of ["touch x", "rm a.js", "git add -A", "echo x > a.js", "sed -i s/a/b/ a.js"])
    expect(await agent(main, { mode }).bash(line)).not.toBe("allow");
});

test("a repository whose settings name a program keeps git's commands from running without permission", async () => {
  const { main, own, agent } = fileWorkplace();
  git(main, "config", "filter.f.clean", "touch MARK");
  expect(await agent(own).bash("git add -A")).toBe("ask");
  expect(await agent(own).bash("git commit -m x")).toBe("ask");
  expect(await agent(own).bash("rm a.js")).toBe("allow");
});

test("a nested repository is another repository", async () => {
  const { own, agent } = fileWorkplace();
  const nested = join(own, "lib");
  git(nested, "init", "-q");
  expect(await agent(own, { cwd: nested }).bash("git add -A")).toBe("ask");
});

test("a commit without permission runs no hook, and one that a rule allows runs it", async () => {
  const { main, own, agent } = fileWorkplace();
  writeFileSync(join(main, ".git/hooks/pre-commit"), "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  writeFileSync(join(own, "a.js"), "changed");
  const input = { command: "git add -A && git commit -qm work" };
  const free = agent(own);
  expect(await free.decide("Bash", input)).toMatchObject({ behavior: "allow", place: { hookless: true } });
  const usual = shellEnvironment({ PATH: process.env["PATH"] ?? "" });
  const run = (env: Readonly<Record<string, string>>) => () =>
    execFileSync("bash", ["-c", input.command], {
      cwd: own,
      env: {
        ...env,
        GIT_AUTHOR_NAME: "t",
        GIT_AUTHOR_EMAIL: "t",
        GIT_COMMITTER_NAME: "t",
        GIT_COMMITTER_EMAIL: "t",
      },
      stdio: "pipe",
    });
  const ruled = agent(own, { rules: { allow: ["Bash(git add:*)", "Bash(git commit:*)"] } });
  const decision = await ruled.decide("Bash", input);
  expect(decision.behavior === "allow" && decision.place?.hookless).toBeFalsy();
  expect(run(usual)).toThrow();
  run(gitPins(usual))();
  expect(git(own, "log", "--format=%s", "-1")).toBe("work\n");
});
