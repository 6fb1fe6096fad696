import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type CreateSessionOptions, createSession } from "../../../src/index.ts";
import { createScriptedModel, type Script, systemClock } from "../../../src/testing.ts";

/** A subagent's rights are its parent's, reduced by its own definition, never more. */
let base = "";
let project = "";
let home = "";
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), "troupe-rights-")));
  project = join(base, "project");
  home = join(base, "home");
  for (const folder of [project, home, join(base, "outside"), join(project, "private")]) mkdirSync(folder);
  writeFileSync(join(base, "outside", "secret.txt"), "SECRET");
  writeFileSync(join(project, "private", "plan.txt"), "PLAN");
  writeFileSync(join(project, "guarded.txt"), "guarded");
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const open = (script: Omit<Script, "version">, options: CreateSessionOptions = {}) =>
  createSession({
    cwd: project,
    memory: true,
    onPermission: "nobody",
    model: createScriptedModel({ version: 1, ...script }, { clock: systemClock }),
    env: { PATH: process.env["PATH"], TROUPE_SANDBOX: "off", HOME: home, TROUPE_HOME: join(home, ".troupe") },
    ...options,
  });

const agent = (input: object) => ({
  tool: "Agent",
  input: { description: "part", prompt: "do it", subagent_type: "general-purpose", name: "bob", ...input },
});
const play = (call: object, start: object, ...more: object[]): Omit<Script, "version"> => ({
  agents: {
    lead: { steps: [{ calls: [agent(start)] }, { text: "{{result}}" }, ...more] as never },
    "lead/bob": {
      steps: [
        { calls: [call] },
        { text: "child: {{result}}" },
        { calls: [call] },
        { text: "again: {{result}}" },
      ] as never,
    },
  },
});

describe("cwd is where a subagent starts, not what it may touch", () => {
  test("cwd outside the parent's folders is refused, also through a link", async () => {
    execFileSync("ln", ["-s", join(base, "outside"), join(project, "link")]);
    for (const cwd of [join(base, "outside"), join(project, "link")]) {
      const session = await open(play({ tool: "Read", input: { file_path: "secret.txt" } }, { cwd }), {
        permissionMode: "acceptEdits",
      });
      const { text } = await session.ask("go");
      expect(text).toContain("outside the folders");
      expect(text).not.toContain("SECRET");
      await session.close();
    }
  });

  test("cwd in a protected folder is refused", async () => {
    execFileSync("git", ["init", "-q", project]);
    const session = await open(
      play({ tool: "Glob", input: { pattern: "*" } }, { cwd: join(project, ".git", "hooks") }),
    );
    expect((await session.ask("go")).text).toContain("cannot be used:");
    await session.close();
  });

  test("cwd inside the parent's folders does not weaken deny rules", async () => {
    const read = { tool: "Read", input: { file_path: "plan.txt" } };
    for (const permissionMode of ["default", "bypassPermissions"] as const) {
      const session = await open(play(read, { cwd: join(project, "private") }), {
        permissionMode,
        disallowedTools: ["Read(./private/**)"],
      });
      expect((await session.ask("go")).text).not.toContain("PLAN");
      await session.close();
    }
  });
});

test("deny rule for a project file also holds for a subagent in a worktree", async () => {
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd: project });
  git("init", "-q");
  git("add", ".");
  git("commit", "-qm", "start");
  const write = { tool: "Bash", input: { command: `echo broken > ${join(project, "guarded.txt")}` } };
  const session = await open(play(write, { isolation: "worktree" }), {
    permissionMode: "bypassPermissions",
    disallowedTools: ["Edit(./guarded.txt)"],
  });
  await session.ask("go");
  await session.close();
  expect(readFileSync(join(project, "guarded.txt"), "utf8")).toBe("guarded");
});

test("resumed subagent may do no more than its parent may at that time", async () => {
  const touch = { tool: "Bash", input: { command: "touch made-by-bob" } };
  const send = { calls: [{ tool: "SendMessage", input: { to: "bob", message: "once more" } }] };
  const session = await open(play(touch, {}, send, { text: "sent" }, { text: "heard {{said}}" }), {
    permissionMode: "bypassPermissions",
  });
  await session.ask("go");
  expect(existsSync(join(project, "made-by-bob"))).toBe(true);
  rmSync(join(project, "made-by-bob"));
  await session.dispatch({ type: "set", permissionMode: "plan" });
  await session.ask("send it on");
  for await (const { event } of session.events({ replay: true })) if (event.type === "background.ended") break;
  await session.close();
  expect(existsSync(join(project, "made-by-bob"))).toBe(false);
});
