import { mkdirSync, readFileSync, statSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { processesWith, until } from "../../support/processes/live-processes.ts";
import { openToolBench, type ToolBench } from "../../support/tools/tool-bench.ts";

let bench: ToolBench;
beforeEach(() => {
  bench = openToolBench();
});
afterEach(() => bench.close());

const bash = async (command: string, more: Record<string, unknown> = {}) => {
  const outcome = await bench.call("Bash", { command, ...more });
  return `${outcome.outcome}: ${bench.text(outcome)}`;
};

describe("Bash", () => {
  it("returns both outputs in order, and the exit code", async () => {
    expect(await bash("echo one; echo two >&2; echo three")).toBe("ok: one\ntwo\nthree");
    expect(await bash("echo no >&2; exit 3")).toBe("failed: no\n[Exit code 3]");
    expect(await bash("true")).toBe("ok: (no output)");
    expect(await bash("kill -9 $$")).toBe("failed: (no output)\n[Ended by signal SIGKILL]");
    const outcome = await bench.call("Bash", { command: "exit 4" });
    expect(outcome.display).toEqual({ kind: "terminal", exitCode: 4, signal: null });
  });

  it("pagers print everything and end, because there is no terminal", async () => {
    const lines = Array.from({ length: 300 }, (_, at) => `line ${at}`).join("\n");
    bench.write("long.txt", `${lines}\n`);
    expect(await bash("less long.txt")).toBe(`ok: ${lines}`);
    expect(await bash("cat long.txt | more")).toBe(`ok: ${lines}`);
    const commit = "git -c user.name=T -c user.email=t@example.com commit -q --allow-empty";
    const log = await bash(
      `git init -q && for at in $(seq 60); do ${commit} -m "commit $at"; done; git log --format=%s`,
    );
    expect(log.split("\n")).toHaveLength(60);
  });

  it("takes exit code 1 of a comparison or a search as an answer", async () => {
    const files = "echo a > 1; echo b > 2";
    await bash(files);
    expect(await bash("diff -q 1 2")).toBe("ok: Files 1 and 2 differ\n[Exit code 1: the files differ]");
    expect(await bash("cat 1 | grep -c x")).toBe("ok: 0\n[Exit code 1: nothing matches]");
    expect(await bash("cd . && grep x 1")).toBe("ok: (no output)\n[Exit code 1: nothing matches]");
    expect(await bash("true; test -e none")).toBe("ok: (no output)\n[Exit code 1: the condition is false]");
    for (const line of ["false && grep a 1", "! grep a 1", "(exit 1; grep a 1)", "set -e; false; grep a 1"])
      expect(await bash(line), line).toMatch(/^failed: .*\[Exit code 1\]$/s);
    expect(await bash("grep x none")).toMatch(/^failed: .*\[Exit code 2\]$/s);
  });

  it("runs the command byte for byte", async () => {
    expect(await bash(`printf '%s|' "$#" "$0" 'a"b' \\$x $'\\n'; cat <<'E'\n$(no)\nE`)).toBe(
      'ok: 0|bash|a"b|$x|\n|$(no)',
    );
    expect(await bash("echo 'unterminated")).toMatch(/^failed: .*unexpected EOF/);
    expect(await bash("cat; read -r x; echo $?")).toBe("ok: 1");
  });

  it("starts every command in the agent's folder, and says so after a cd", async () => {
    mkdirSync(bench.path("a/b c"), { recursive: true });
    const back =
      "[The next command starts in DIR again. To run it in another folder, put cd into the same command line.]";
    expect(await bash("cd a/'b c'; false")).toBe(`failed: (no output)\n[Exit code 1]\n${back}`);
    expect(await bash("pwd; exit 0")).toBe("ok: DIR");
    expect(await bash("(cd a; pwd)")).toBe("ok: DIR/a");
    expect(await bash("cd /; pwd")).toBe(`ok: /\n${back}`);
    expect(await bash("pwd")).toBe("ok: DIR");
    expect(await bash("exec 3>file; echo own >&3; cat file")).toBe("ok: own");
  });

  it("passes on the environment without variables that change behaviour", async () => {
    bench.write("evil", "echo evil");
    const env = {
      ...bench.context.env,
      BASH_ENV: bench.path("evil"),
      ENV: bench.path("evil"),
      KEPT: "yes",
      SHELLOPTS: "xtrace",
    };
    Object.assign(bench.context, { env });
    expect(await bash('echo "$KEPT $TERM $GIT_PAGER [$BASH_ENV]"')).toBe("ok: yes dumb cat []");
  });

  it("output is clean text whatever is written", async () => {
    expect(
      await bash(`printf '\\033[31mred\\033[0m \\377\\033]8;;x\\007link\\033]8;;\\007 10%%\\r20%%\\r\\n a\\bb\\0'`),
    ).toBe("ok: red \ufffdlink 10%\n20%\n b");
  });

  it("keeps the start and end of long output, and all of it in a file", async () => {
    const outcome = await bench.call("Bash", { command: "seq 1 50000; echo last" });
    const text = bench.text(outcome);
    expect(text).toMatch(/^1\n2\n3\n/);
    expect(text).toMatch(/\[… \d+ bytes cut here\. The full output is in RESULTS\/bash-\w+\.txt: read parts/);
    expect(text).toMatch(/\n50000\nlast$/);
    expect(text.length).toBeLessThan(30_000);
    const lines = readFileSync(outcome.savedTo ?? "", "utf8").split("\n");
    expect(lines).toHaveLength(50_002);
    expect((await bench.call("Read", { file_path: outcome.savedTo, offset: 30_000, limit: 1 })).outcome).toBe("ok");
  });

  it("bounds the disk use of a flood", async () => {
    const outcome = await bench.call("Bash", { command: "yes | head -c 100000000" });
    expect(outcome.outcome).toBe("ok");
    expect(bench.text(outcome)).toContain("(only the first 67108864 bytes were kept)");
    expect(statSync(outcome.savedTo ?? "").size).toBeLessThan(67_200_000);
  });

  it("shows output as it arrives", async () => {
    const abort = new AbortController();
    const running = bench.call("Bash", { command: "echo first; tail -f /dev/null" }, abort.signal);
    await until("something was shown", () => bench.progress.join("").includes("first"));
    abort.abort();
    expect(bench.text(await running)).toBe("first\n[Interrupted: the command and all its processes were stopped.]");
    expect((await running).outcome).toBe("interrupted");
  });

  it("ends after its timeout, and tells what a command left running", async () => {
    expect(await bash("echo x; tail -f /dev/null", { timeout: 3_000 })).toMatchInlineSnapshot(`
      "failed: x
      [Timed out after 3000 ms: the command and all its processes were stopped. Set a longer timeout, or use run_in_background. If it waits for input or is a full-screen program, it cannot work here.]"
    `);
    expect((await bash("sleep 600 & echo started")).replace(/\d+/, "PID")).toMatchInlineSnapshot(`
      "ok: started
      [It left processes running (PID). Their output is lost, and they end with the session. Use run_in_background for such commands.]"
    `);
    expect(await bash("x", { timeout: 900_000, command: "" })).toMatchSnapshot();
  });

  it("says so when it cannot be started", async () => {
    expect(await bash(`: ${"x".repeat(200_000)}`)).toBe(
      "failed: (no output)\n[/usr/bin/bash could not be started: its arguments are too long for the system]",
    );
  });
});

const start = async (command: string) => {
  const text = await bash(command, { run_in_background: true, description: "the task" });
  return /bg_\w+/.exec(text)?.[0] ?? text;
};
const output = async (task_id: string, more = {}) =>
  bench.text(await bench.call("TaskOutput", { task_id, ...more })).replaceAll(task_id, "ID");

describe("background jobs", () => {
  it.each([
    ["lead", /If you have nothing else to do, end your turn: you are woken when it ends\. Stop it with TaskStop/],
    ["bob@parser", /If you have nothing else to do, end your turn: you are woken when it ends\. TaskOutput shows/],
    ["lead/scout", /wait for it with TaskOutput: when you give your last answer, it is stopped\./],
    ["bob@parser/scout", /wait for it with TaskOutput: when you give your last answer, it is stopped\./],
  ])("say to %s what happens when its turn ends", async (path, words) => {
    Object.assign(bench.context.agent, { path });
    expect(await bash("true", { run_in_background: true })).toMatch(words);
  });

  it("are stopped after the timeout that was given", async () => {
    const text = await bash("echo begun; exec tail -f /dev/null", { run_in_background: true, timeout: 300 });
    expect(text).toContain("It is stopped after 300 ms.");
    const id = /bg_\w+/.exec(text)?.[0] ?? "";
    expect(await output(id)).toContain("begun\n[Timed out after 300 ms and stopped]");
  });

  it("continue while the agent does other work, and are read piece by piece", async () => {
    const id = await start("echo one; until [ -e go ]; do sleep 0.01; done; echo two; exit 5");
    await until("the first line is there", () => bench.events.some((event) => event.type === "background.output"));
    expect(await output(id, { block: false })).toBe("ID is running: the task\n\none");
    expect(await output(id, { timeout: 1 })).toBe("ID is running: the task\n\n(no new output)");
    bench.write("go", "");
    expect(await output(id)).toBe("ID has ended with exit code 5: the task\n\ntwo");
    expect(await output(id)).toBe("ID has ended with exit code 5: the task\n\n(no new output)");
    expect(bench.events.map((event) => event.type)).toEqual([
      "background.started",
      "background.output",
      "background.output",
      "background.ended",
    ]);
    expect(bench.events.at(-1)).toMatchObject({ backgroundId: id, status: "failed", exitCode: 5 });
  });

  it("are stopped with all their processes", async () => {
    const token = `TOKEN-${process.pid}-${Date.now()}`;
    const id = await start(`: ${token}; trap '' TERM; bash -c 'sleep 600; : ${token}' & sleep 600; :`);
    await until("it runs", () => processesWith(token).length > 1);
    expect(bench.text(await bench.call("TaskStop", { task_id: id })).replaceAll(id, "ID")).toBe(
      "ID was stopped: the task",
    );
    expect(processesWith(token)).toEqual([]);
    expect(bench.text(await bench.call("TaskStop", { task_id: id })).replaceAll(id, "ID")).toBe(
      "Nothing to stop: ID was stopped: the task",
    );
  });

  it("return the end of their output, and name the file", async () => {
    const id = await start("seq 1 100000");
    expect(await output(id)).toMatch(
      /exit code 0: the task\n\n\[… \d+ bytes before this are in RESULTS\/ID\.output\]\n[\s\S]*\n100000$/,
    );
  });

  it("can be awaited until an interrupt", async () => {
    const id = await start("sleep 600");
    const abort = new AbortController();
    const waiting = bench.call("TaskOutput", { task_id: id }, abort.signal);
    abort.abort();
    expect(await waiting).toMatchObject({ outcome: "interrupted" });
    expect(await output("bg_nonsense")).toContain(`There is no background job "ID". ${id} is running`);
  });

  it("all end with the session", async () => {
    await start("sleep 600");
    await start("trap '' TERM; sleep 600; sleep 600");
    await bench.context.background.stopAll();
    expect(bench.context.background.list().map((task) => task.ended?.status)).toEqual(["killed", "killed"]);
    expect(await bash("x", { run_in_background: true })).toMatch(
      /^failed: Bash failed: cannot start a background job: the session is ending/,
    );
  });
});
