import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Event, PermissionAnswer } from "../../../src/protocol/index.ts";
import { createSession, type CreateSessionOptions } from "../../../src/session/index.ts";
import { createScriptedModel, systemClock } from "../../../src/testing.ts";
import { tempTree } from "../../support/files/temp-tree.ts";
import { workplace } from "../../support/cli/workplace.ts";
import { processesWith, until } from "../../support/processes/live-processes.ts";

interface Options extends CreateSessionOptions {
  readonly sandbox: object;
  readonly permissions?: object;
  readonly bash: readonly object[];
  readonly prepare?: (project: string) => void;
}

type Asker = Exclude<CreateSessionOptions["onPermission"], string | undefined>;

/** Runs the calls one after another in a new session and returns their results. */
async function runBash({ sandbox, permissions = {}, bash, prepare, ...more }: Options) {
  const tree = tempTree({ "home/.troupe/settings.json": { sandbox, permissions } });
  tree.folder("project");
  const project = tree.path("project");
  prepare?.(project);
  const steps = [...bash.map((input) => ({ text: "Running.", calls: [{ tool: "Bash", input }] })), { text: "Done." }];
  const session = await createSession({
    cwd: project,
    env: { HOME: tree.path("home"), PATH: process.env["PATH"], SOME_API_KEY: "sk-hidden" },
    model: createScriptedModel({ version: 1, steps }, { clock: systemClock }),
    memory: true,
    onPermission: "nobody",
    ...more,
  });
  onTestFinished(() => session.close());
  const events: Event[] = [];
  const following = (async () => {
    for await (const { event } of session.events()) events.push(event);
  })();
  await session.ask("go");
  await session.close();
  await following;
  const settled = events.flatMap((event) => (event.type === "tool.settled" ? [event] : []));
  return {
    project,
    home: tree.path("home"),
    asked: events.filter((event) => event.type === "permission.asked").length,
    notices: events.flatMap((event) => (event.type === "notice.raised" ? [event.message] : [])),
    results: settled.map(({ outcome, content }) =>
      `${outcome}: ${content.map((part) => (part.type === "text" ? part.text : "")).join("")}`.replaceAll(
        project,
        "DIR",
      ),
    ),
  };
}

const write = "echo x > made.txt && echo done";
const linked = (project: string) => symlinkSync(join(project, "other"), join(project, ".claude"));

const acceptEdits = { sandbox: { mode: "auto" }, permissionMode: "acceptEdits" } as const;

describe("sandbox mode auto in mode acceptEdits", () => {
  test("processes that a command leaves behind end with it", async () => {
    const seconds = `4000.${process.pid}`;
    const { results } = await runBash({ ...acceptEdits, bash: [{ command: `sleep ${seconds} & echo started` }] });
    expect(results).toEqual([
      "ok: started\n[Commands started with & ended with this command line. Start such a command by itself, with run_in_background instead of &.]",
    ]);
    await until("the background process has ended", () => processesWith(seconds).length === 0);
  });

  test("commands run without a question and cannot do harm", async () => {
    const { results, asked, project, home } = await runBash({
      ...acceptEdits,
      bash: [
        { command: write },
        { command: "python3 -c 'print(1)' || $(echo echo) dynamic" },
        { command: 'for f in /usr/new.txt ../beside ~/new.txt .git/x; do bash -c "echo x > $f"; done' },
        { command: "env | grep -c hidden" },
        { command: "cd /tmp && pwd" },
      ],
    });
    expect(asked).toBe(0);
    expect(results[0]).toBe("ok: done");
    expect(results[1]).toMatch(/^ok: (1|dynamic)$/);
    expect(results[2]).toMatch(
      /^failed: [^]*Read-only file system[^]*\[This ran in a sandbox: only DIR, \/tmp can be written/,
    );
    expect(results[2]).toContain("No user is available to let it run outside");
    expect(results[3]).toBe("ok: 0\n[Exit code 1: nothing matches]");
    expect(results[4]).toContain("The next command starts in DIR again");
    expect(readFileSync(join(project, "made.txt"), "utf8")).toBe("x\n");
    expect([existsSync(join(home, "new.txt")), existsSync(join(project, "../beside"))]).toEqual([false, false]);
  });

  test("files that agents and programs obey cannot be changed, and new ones are reported", async () => {
    const { results } = await runBash({
      ...acceptEdits,
      prepare: (project) => writeFileSync(join(project, "AGENTS.md"), "good\n"),
      bash: [
        { command: "echo evil >> AGENTS.md" },
        { command: "mkdir sub && echo evil > sub/CLAUDE.md" },
        { command: "echo fine > sub/other.md" },
      ],
    });
    expect(results[0]).toMatch(/^failed: .*AGENTS.md: Read-only file system/);
    expect(results[1]).toMatch(/^ok: [^]*It made DIR\/sub\/CLAUDE\.md\. Other programs or agents obey such files/);
    expect(results[2]).toBe("ok: (no output)");
  });

  test("deny and ask rules still apply", async () => {
    const { results, asked } = await runBash({
      ...acceptEdits,
      permissions: { deny: ["Bash(rm:*)"], ask: ["Bash(touch:*)"] },
      bash: [{ command: "rm made.txt" }, { command: "touch made.txt" }, { command: "echo fine" }],
    });
    expect(results.map((text) => text.split(":")[0])).toEqual(["denied", "denied", "ok"]);
    expect(asked).toBe(1);
  });

  test("only a command outside the sandbox needs approval", async () => {
    const answers: PermissionAnswer[] = [{ behavior: "allow", scope: "once" }, { behavior: "deny" }];
    const onPermission: Asker = () => Promise.resolve(answers.shift() ?? { behavior: "deny" });
    const outside = { command: "echo x > ../beside && echo done", outside_sandbox: true };
    const { results, asked, project } = await runBash({
      ...acceptEdits,
      onPermission,
      bash: [outside, outside],
    });
    expect(results).toEqual(["ok: done", expect.stringMatching(/^denied/)]);
    expect(asked).toBe(2);
    expect(existsSync(join(project, "../beside"))).toBe(true);
  });

  test("command outside the sandbox is denied when no user is available", async () => {
    const { results } = await runBash({ ...acceptEdits, bash: [{ command: write, outside_sandbox: true }] });
    expect(results[0]).toMatch(/^denied/);
  });

  test("background commands run in the sandbox too", async () => {
    const { results, project } = await runBash({
      ...acceptEdits,
      bash: [
        { command: "echo x > ../beside; cat /proc/1/comm > made.txt", run_in_background: true },
        { command: "until test -s made.txt; do sleep 0.02; done; cat made.txt" },
      ],
    });
    expect(results[1]).toBe("ok: bwrap");
    expect(existsSync(join(project, "../beside"))).toBe(false);
  });

  test("plan mode still runs nothing", async () => {
    const { results } = await runBash({
      sandbox: { mode: "auto" },
      permissionMode: "plan",
      bash: [{ command: write }],
    });
    expect(results[0]).toMatch(/^denied/);
  });

  test("without a sandbox a notice is raised and commands need approval", async () => {
    const { results, notices, asked } = await runBash({
      ...acceptEdits,
      prepare: linked,
      bash: [{ command: write }],
    });
    expect(notices.join()).toMatch(
      /the sandbox is unavailable: .*\.claude in the sandbox: it is a symbolic link.*only a few fixed commands run/,
    );
    expect(results[0]).toMatch(/^denied/);
    expect(asked).toBe(1);
  });
});

describe("sandbox mode required", () => {
  test("command runs inside the sandbox", async () => {
    const bash = [{ command: "cat /proc/1/comm" }];
    const { results } = await runBash({ sandbox: { mode: "required" }, permissionMode: "acceptEdits", bash });
    expect(results).toEqual(["ok: bwrap"]);
  });

  test("no command runs outside the sandbox, in any permission mode", async () => {
    const { results, project } = await runBash({
      sandbox: { mode: "required" },
      permissionMode: "bypassPermissions",
      bash: [{ command: write, outside_sandbox: true }, { command: "echo x > .git/config; exit 1" }],
    });
    expect(results[0]).toMatch(/^denied: .*commands must run in the sandbox here/);
    expect(results[1]).toContain("This cannot be bypassed:");
    expect(existsSync(join(project, "made.txt"))).toBe(false);
  });

  test("without a sandbox nothing runs", async () => {
    const { results, notices, project } = await runBash({
      sandbox: { mode: "required" },
      permissionMode: "bypassPermissions",
      prepare: linked,
      bash: [{ command: write }, { command: write, run_in_background: true }],
    });
    expect(notices.join()).toMatch(/the sandbox is unavailable: .*no commands will run/);
    expect(results.map((text) => text.split(":")[0])).toEqual(["denied", "denied"]);
    expect(existsSync(join(project, "made.txt"))).toBe(false);
  });
});

test("sandbox mode off: commands run directly", async () => {
  const { results } = await runBash({
    sandbox: { mode: "off" },
    permissionMode: "bypassPermissions",
    bash: [{ command: "cat /proc/1/comm; echo x > ../beside && echo done" }],
  });
  expect(results[0]).toMatch(/^ok: (?!bwrap)[^]*done$/);
});

test("invalid host is an error before anything starts", async () => {
  const sandbox = { mode: "auto", network: { allow: ["*.example.com"] } };
  await expect(runBash({ sandbox, bash: [] })).rejects.toThrow(
    /sandbox\.network\.allow: "\*\.example\.com" is not a host/,
  );
});

test("git can commit when the settings make .git writable, but cannot set hooks", async () => {
  const { results, project } = await runBash({
    sandbox: { mode: "required", writable: [".git"] },
    prepare(folder) {
      writeFileSync(join(folder, "a.txt"), "a\n");
      execFileSync("git", ["init", "-q", folder]);
      rmSync(join(folder, ".git/hooks"), { recursive: true, force: true });
    },
    permissionMode: "bypassPermissions",
    bash: [
      {
        command: "git add a.txt && git -c user.name=a -c user.email=a@b commit -q -m one && git log --oneline | wc -l",
      },
      { command: "git config core.fsmonitor /bin/false" },
      { command: "mkdir -p .git/hooks; echo x > .git/hooks/post-commit" },
      { command: "mv .git x" },
    ],
  });
  expect(results[0]).toBe("ok: 1");
  for (const result of results.slice(1, 4)) expect(result).toMatch(/^failed/);
  expect(existsSync(join(project, ".git/hooks"))).toBe(false);
});

test("otherwise git can read, and the error says why it cannot commit", async () => {
  const { results } = await runBash({
    ...acceptEdits,
    prepare(folder) {
      execFileSync("git", ["init", "-q", folder]);
      const identity = ["-c", "user.name=t", "-c", "user.email=t@example.com"];
      execFileSync("git", [...identity, "commit", "-q", "--allow-empty", "-m", "one"], { cwd: folder });
      writeFileSync(join(folder, "a.txt"), "a\n");
    },
    bash: [{ command: "git status --short" }, { command: "git branch other" }],
  });
  expect(results[0]).toBe("ok: ?? a.txt");
  expect(results[1]).toMatch(/^failed: [^]*Read-only file system[^]*No user is available to let it run outside/);
});

test("a file that was open when Troupe started is closed to commands", async () => {
  const place = workplace();
  const log = join(place.home, "open.log");
  const calls = [{ tool: "Bash", input: { command: "echo x >&7 || echo clo''sed" } }];
  const script = place.write("script.json", { version: 1, steps: [{ text: "Running.", calls }, { text: "Done." }] });
  const { stdout } = await place.run(
    ["-p", "go", "--model", `scripted/${script}`, "--permission-mode", "acceptEdits", "--output-format", "stream-json"],
    { via: ["bash", "-c", `exec 7>>'${log}'; exec "$@"`, "bash"], env: { TROUPE_SANDBOX: "required" } },
  );
  expect([stdout.includes("closed"), readFileSync(log, "utf8")]).toEqual([true, ""]);
});
