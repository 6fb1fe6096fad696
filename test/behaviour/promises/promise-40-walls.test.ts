import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Event } from "../../../src/protocol/index.ts";
import { createSession, type CreateSessionOptions } from "../../../src/session/index.ts";
import { createScriptedModel, systemClock } from "../../../src/testing.ts";
import { tempTree } from "../../support/files/temp-tree.ts";

interface Run {
  readonly permissions?: object;
  readonly sandbox?: object;
  readonly lines: readonly (string | { readonly command: string; readonly outside_sandbox?: boolean })[];
  readonly mode: CreateSessionOptions["permissionMode"];
  readonly onPermission?: CreateSessionOptions["onPermission"];
}

/** A repository with a secret, a denied file, a link out of it and a listener beside it. */
async function world() {
  const tree = tempTree({
    "project/a.txt": "a\n",
    "project/.env": "KEY=CANARY\n",
    "project/denied/x.txt": "CANARY\n",
    "home/.ssh/id_rsa": "CANARY\n",
    "outside/file.txt": "outside\n",
  });
  const project = tree.path("project");
  mkdirSync(tree.path("home/.troupe"), { recursive: true });
  symlinkSync("..", join(project, "up"));
  execFileSync("git", ["init", "-q", project]);
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.on("error", () => socket.destroy()).end("CANARY\n");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as { port: number };

  const run = async ({ permissions = {}, sandbox, lines, mode, onPermission = "nobody" }: Run) => {
    tree.write("home/.troupe/settings.json", {
      permissions: { deny: ["Read(denied/**)"], ...permissions },
      ...(sandbox && { sandbox }),
    });
    const bash = lines.map((line) => (typeof line === "string" ? { command: line } : line));
    const steps = [...bash.map((input) => ({ text: "Running.", calls: [{ tool: "Bash", input }] })), { text: "Done." }];
    const session = await createSession({
      cwd: project,
      env: { HOME: tree.path("home"), PATH: process.env["PATH"] },
      model: createScriptedModel({ version: 1, steps }, { clock: systemClock }),
      memory: true,
      onPermission,
      ...(mode && { permissionMode: mode }),
    });
    onTestFinished(() => session.close());
    const events: Event[] = [];
    const following = (async () => {
      for await (const { event } of session.events()) events.push(event);
    })();
    await session.ask("go");
    await session.close();
    await following;
    return {
      asked: events.flatMap((event) => (event.type === "permission.asked" ? [event] : [])),
      results: events.flatMap((event) =>
        event.type === "tool.settled"
          ? [`${event.outcome}: ${event.content.map((part) => (part.type === "text" ? part.text : "")).join("")}`]
          : [],
      ),
    };
  };

  /** Lines that no parser can read, so that only the kernel stops them. */
  const attacks = [
    `node -e 'require("fs").writeFileSync("../made", "x")'`,
    `f=ma; f=\${f}de; node -e 'require("fs").writeFileSync(process.argv[1], "x")' up/$f`,
    `node -e 'require("fs").writeFileSync(process.env.HOME + "/made", "x")'`,
    `node -e 'require("fs").appendFileSync("up/outside/file.txt", "x")'`,
    `node -e 'require("fs").appendFileSync(".git/config", "x")'`,
    `node -e 'require("fs").mkdirSync(".claude/x", { recursive: true })'`,
    `node -e 'console.log(String(require("fs").readFileSync(".e" + "nv")))'`,
    `node -e 'console.log(String(require("fs").readFileSync("denied/" + "x.txt")))'`,
    `node -e 'console.log(String(require("fs").readFileSync(process.env.HOME + "/.ssh/id_rsa")))'`,
    `node -e 'require("net").connect(${port}, "127.0.0.1").pipe(process.stdout).on("error", () => 0)'`,
  ];
  const expectHarmless = (results: readonly string[]) => {
    expect(results.join("\n")).not.toContain("CANARY");
    expect(connections).toBe(0);
    for (const name of ["made", "home/made", "project/.claude"])
      expect([name, existsSync(tree.path(name))]).toEqual([name, false]);
    expect(readFileSync(tree.path("outside/file.txt"), "utf8")).toBe("outside\n");
    expect(readFileSync(tree.path("project/.git/config"), "utf8")).not.toMatch(/x$/);
  };
  return { tree, run, attacks, expectHarmless, connections: () => connections, port };
}

describe("promise 40: without a yes no command leaves its walls, whatever the parser thought of it", () => {
  test.each([
    ["mode acceptEdits", "acceptEdits", {}],
    ["a rule for the program", "default", { allow: ["Bash(node:*)"] }],
    ["a rule for all commands", "dontAsk", { allow: ["Bash"] }],
    ["mode bypassPermissions", "bypassPermissions", {}],
  ] as const)("%s", async (_name, mode, permissions) => {
    const { run, attacks, expectHarmless } = await world();
    const { results, asked } = await run({
      mode,
      permissions: { deny: ["Read(denied/**)"], ...permissions },
      lines: attacks,
    });
    expectHarmless(results);
    // The second line sets a variable: a rule for the program does not cover it.
    expect(asked.length).toBeLessThanOrEqual(1);
    expect(results.filter((result) => !result.startsWith("denied")).length).toBeGreaterThanOrEqual(attacks.length - 2);
  });

  test("a line that only looks can write nothing, not even in the working folder", async () => {
    const { run, tree } = await world();
    const { results } = await run({ mode: "plan", lines: ["cat /proc/self/mountinfo > /dev/null; ls", "ls a.txt"] });
    expect(results[1]).toBe("ok: a.txt");
    expect(existsSync(tree.path("project/.git/config"))).toBe(true);
  });

  test("a rule does not let a call leave the walls: a person is asked", async () => {
    const { run, tree } = await world();
    const line = { command: `node -e 'require("fs").writeFileSync("../made", "x")'`, outside_sandbox: true };
    const { results, asked } = await run({ mode: "acceptEdits", permissions: { allow: ["Bash"] }, lines: [line] });
    expect(asked.map(({ sandbox }) => sandbox)).toEqual(["outside"]);
    expect(results[0]).toMatch(/^denied/);
    expect(existsSync(tree.path("made"))).toBe(false);
  });

  test("a listed command leaves the walls only as plain words", async () => {
    const { run, tree } = await world();
    const permissions = { allow: ["Bash(cp:*)"] };
    const { results } = await run({
      mode: "default",
      permissions,
      sandbox: { outside: ["cp"] },
      lines: [`cp a.txt "$HOME/made"`, "cp a.t* ../starred", "cp a.txt ../made"],
    });
    expect(results[2]).toMatch(/^ok/);
    const made = ["home/made", "starred", "made"].map((name) => existsSync(tree.path(name)));
    expect(made).toEqual([false, false, true]);
  });

  test("the question says where the command runs, and a person can allow only the network", async () => {
    const { run, tree, port, connections } = await world();
    const line = `node -e 'require("fs").writeFileSync("made", "x"); require("net").connect(${port}, "127.0.0.1").pipe(process.stdout)'; echo x > ../made`;
    const { asked } = await run({
      mode: "default",
      lines: [line],
      onPermission: () => Promise.resolve({ behavior: "allow", scope: "once", network: true }),
    });
    expect(asked[0]).toMatchObject({ sandbox: "outside" });
    expect(asked[0]?.question).toMatch(/It runs outside the sandbox\.$/);
    expect(connections()).toBe(1);
    expect([existsSync(tree.path("made")), existsSync(tree.path("project/made"))]).toEqual([false, true]);
  });

  test("where no sandbox works, only fixed commands run without a question", async () => {
    const { run, tree } = await world();
    symlinkSync("..", tree.path("project/.claude"));
    const lines = ["ls", "git status", "cat a.txt", "mkdir x", "echo $HOME"];
    const { results } = await run({ mode: "acceptEdits", permissions: { allow: ["Bash(echo:*)"] }, lines });
    expect(results.map((result) => result.split(":")[0])).toEqual(["ok", "ok", "denied", "denied", "denied"]);
  });
});
