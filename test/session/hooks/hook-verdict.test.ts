import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { processesWith, until } from "../../support/processes/live-processes.ts";
import { hook, hookedSession, type HookedSession, markCall } from "../../support/session/hooked-session.ts";

/** The behaviour of a hook, its verdict, and the text about it. */
interface Row {
  readonly name: string;
  readonly command: string;
  readonly counts: "go" | "no" | "failure";
  readonly says?: RegExp;
  readonly timeout?: number;
}

const flood = "head -c 50000000 /dev/zero | tr '\\0' x";

const rows: readonly Row[] = [
  { name: "exits 0", command: "exit 0", counts: "go" },
  { name: "exits 1", command: "echo oops >&2; exit 1", counts: "failure", says: /exit code 1: oops/ },
  { name: "exits 2", command: "echo because of this >&2; exit 2", counts: "no", says: /because of this/ },
  { name: "exits 126", command: "/", counts: "failure", says: /exit code 126 \(cannot be executed\)/ },
  { name: "exits 127", command: "no-such-command-here", counts: "failure", says: /exit code 127 \(no such command\)/ },
  { name: "is killed", command: "kill -9 $$", counts: "failure", says: /killed by SIGKILL/ },
  { name: "hangs", command: "sleep 300", timeout: 0.2, counts: "failure", says: /it was killed after 0\.2 s/ },
  { name: "prints 50 MB", command: flood, counts: "go" },
  { name: "prints 50 MB of a JSON object", command: `printf '{"a":"'; ${flood}`, counts: "failure", says: /too much/ },
  { name: "prints 80 MB", command: `${flood}; ${flood}`, counts: "failure", says: /more than 64 MB/ },
  {
    name: "prints invalid JSON",
    command: `echo '{"decision": '`,
    counts: "failure",
    says: /its output starts like JSON but is invalid:/,
  },
  { name: "prints a wrong field", command: `echo '{"continue":"no"}'`, counts: "failure", says: /continue/ },
  {
    name: "answers as another hook",
    command: `echo '{"hookSpecificOutput":{"hookEventName":"Sleep"}}'`,
    counts: "failure",
    says: /its output has the hookEventName Sleep/,
  },
  { name: "leaves its input unread", command: "exec <&-; exit 0", counts: "go" },
  { name: "prints bytes that are not text", command: "head -c 1000 /dev/urandom | tr -d '{'", counts: "go" },
];

const outcomes = { go: "passed", no: "blocked", failure: "failed" } as const;

const withHook = (event: string, { command, timeout }: Row, more: object = {}) => ({
  [event]: [hook(command, { ...(timeout !== undefined && { timeout }), ...more })],
});

const told = ({ all }: HookedSession) =>
  [
    ...all("notice.raised").map(({ message }) => message),
    ...all("tool.settled").flatMap(({ content }) => content.map((part) => (part.type === "text" ? part.text : ""))),
  ].join("\n");

describe("guard (PreToolUse)", () => {
  test.each(rows)("that $name: $counts", async (row) => {
    const it = await hookedSession({ hooks: withHook("PreToolUse", row), steps: [markCall("a"), { text: "done" }] });
    await it.run();
    expect(it.marks).toEqual(row.counts === "go" ? ["a"] : []);
    expect(it.all("hook.ran").map(({ outcome }) => outcome)).toEqual([outcomes[row.counts]]);
    expect(it.all("tool.settled").map(({ outcome }) => outcome)).toEqual([row.counts === "go" ? "ok" : "denied"]);
    if (row.says) expect(told(it)).toMatch(row.says);
    if (row.counts === "failure")
      expect(told(it)).toMatch(
        /this counts as a denial, because this hook fails closed \(set "onFailure": "open" to change that\)/,
      );
  });

  test.each(rows.filter(({ counts }) => counts === "failure"))(
    "that $name and may fail: the call continues",
    async (row) => {
      const it = await hookedSession({
        hooks: withHook("PreToolUse", row, { onFailure: "open" }),
        steps: [markCall("a"), { text: "done" }],
      });
      await it.run();
      expect(it.marks).toEqual(["a"]);
      expect(told(it)).toMatch(/it is ignored/);
    },
  );
});

describe("guard (PermissionRequest)", () => {
  test.each(rows)("that $name: $counts", async (row) => {
    let asked = 0;
    const it = await hookedSession({
      hooks: withHook("PermissionRequest", row),
      steps: [markCall("a"), { text: "done" }],
      mode: "default",
      more: {
        onPermission: async () => {
          asked += 1;
          return { behavior: "allow", scope: "once" };
        },
      },
    });
    await it.run();
    expect({ asked, marks: it.marks }).toEqual(
      row.counts === "go" ? { asked: 1, marks: ["a"] } : { asked: 0, marks: [] },
    );
    expect(it.all("hook.ran").map(({ outcome }) => outcome)).toEqual([outcomes[row.counts]]);
  });
});

describe("not a guard (PostToolUse)", () => {
  test.each(rows)("that $name: $counts", async (row) => {
    const it = await hookedSession({ hooks: withHook("PostToolUse", row), steps: [markCall("a"), { text: "done" }] });
    await it.run();
    expect(it.marks).toEqual(["a"]);
    const [settled] = it.all("tool.settled");
    expect(settled?.outcome).toBe("ok");
    expect(settled?.content).toHaveLength(row.counts === "no" ? 2 : 1);
    const warnings = it.all("notice.raised").filter(({ code }) => code === "hook");
    expect(warnings).toHaveLength(row.counts === "failure" ? 1 : 0);
    if (row.says) expect(told(it)).toMatch(row.says);
  });
});

describe("not a guard (UserPromptSubmit)", () => {
  test.each(rows)("that $name: $counts", async (row) => {
    const it = await hookedSession({ hooks: withHook("UserPromptSubmit", row), steps: [{ text: "done" }] });
    const ack = await it.session.dispatch({ type: "prompt", content: "go" });
    await it.session.settled();
    await it.close();
    if (row.counts === "no") expect(ack).toMatchObject({ ok: false, code: "blocked_by_hook" });
    else expect(ack).toEqual({ ok: true });
    expect(it.all("prompt.admitted")).toHaveLength(row.counts === "no" ? 0 : 1);
    expect(it.all("turn.ended")).toHaveLength(row.counts === "no" ? 0 : 1);
  });
});

test("a leftover process delays no hook, a timeout ends all, and nothing outlives the session", async () => {
  const token = randomUUID();
  const daemon = `(setsid sleep 300 ${token} & ) ; sh -c 'sleep 300; : ${token}' & exit 0`;
  const hanging = `(setsid sh -c 'sleep 300; : hang-${token}' &); sh -c 'sleep 300; : hang-${token}'`;
  const it = await hookedSession({
    hooks: { PreToolUse: [hook(daemon)], PostToolUse: [hook(hanging, { timeout: 0.3 })] },
    steps: [markCall("a"), { text: "done" }],
  });
  await it.session.ask("go");
  expect(it.marks).toEqual(["a"]);
  expect(it.all("hook.ran").map(({ outcome }) => outcome)).toEqual(["passed", "failed"]);
  await until("what the timeout ended is gone", () => processesWith(`hang-${token}`).length === 0);
  expect(processesWith(token).length).toBeGreaterThan(0);
  await it.close();
  await until("nothing is left", () => processesWith(token).length === 0);
});

test("a hook that never ends does not delay an interrupt or the end of the session", async () => {
  const token = randomUUID();
  const forever = (name: string) => hook(`echo up > ${name}; sleep 300; : ${token}`);
  const it = await hookedSession({
    hooks: { SessionStart: [forever("start")], PreToolUse: [forever("call")], Notification: [forever("note")] },
    steps: [markCall("a")],
    more: { onPermission: "reply" },
  });
  await it.close();
  expect(it.all("hook.ran").map(({ hook: name, outcome }) => [name, outcome])).toEqual([
    ["SessionStart", "interrupted"],
  ]);
  expect(it.all("session.closed")).toHaveLength(1);
  expect(processesWith(token)).toEqual([]);

  const second = await hookedSession({ hooks: { PreToolUse: [forever("call")] }, steps: [markCall("a")] });
  await second.session.send("go");
  await until("the hook runs", () => processesWith(token).length > 0);
  await second.session.abort();
  expect(second.marks).toEqual([]);
  await second.close();
  expect(second.all("tool.settled").map(({ outcome }) => outcome)).toEqual(["interrupted"]);
  expect(processesWith(token)).toEqual([]);
});
