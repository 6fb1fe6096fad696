import { expect, test } from "vitest";
import { createIdFactory } from "../../../src/platform/index.ts";
import { type AgentId, type StoredEvent, TroupeError } from "../../../src/protocol/index.ts";
import { createMemorySessionStore, type EventLog, type SessionStore } from "../../../src/store/index.ts";
import { systemClock } from "../../../src/testing.ts";
import { agent, gate, lead, resultOf, teamSession } from "../../support/team/team-session.ts";

/** A store whose logs fail with the code that `failure` returns. */
function troubled(failure: (event: StoredEvent) => string | undefined): SessionStore {
  const store = createMemorySessionStore({ clock: systemClock, createId: createIdFactory(systemClock) });
  const wrap = (log: EventLog): EventLog => ({
    ...log,
    record: async (event) => {
      const code = failure(event);
      if (code === undefined) return log.record(event);
      throw new TroupeError("storage", `cannot write: ${code}`, { cause: Object.assign(new Error(code), { code }) });
    },
  });
  return {
    ...store,
    create: async (options) => {
      const opened = await store.create(options);
      const agentLog = async (id: AgentId) => wrap(await opened.agentLog(id));
      return { ...opened, leadLog: wrap(opened.leadLog), agentLog };
    },
  };
}

/** An agent at work without space for its next event: the cost of an answer, or the result of a call. */
async function onFullDisk(first: "answer" | "call") {
  const disk = { full: first === "call" };
  const go = gate();
  const fails = ({ type }: StoredEvent) => disk.full && (first === "answer" || type === "tool.settled");
  const team = await teamSession({
    more: { store: troubled((event) => (fails(event) ? "ENOSPC" : undefined)) },
    answer: lead(
      [
        async () => {
          if (first === "call") return { calls: [{ tool: "Bash", input: { command: "true" } }] };
          await go.opened;
          return { text: "too late" };
        },
        { text: "as before" },
      ],
      () => ({ text: "" }),
    ),
  });
  await team.command({ type: "prompt", content: "go" });
  await team.until(({ type }) => type === "turn.started");
  disk.full = true;
  go.open();
  await team.until(({ type }) => type === "turn.waiting");
  return { team, disk };
}

test("session on a full disk can be closed, also while another write is pending", async () => {
  const { team } = await onFullDisk("answer");
  const setting = team.command({ type: "set", permissionMode: "plan" });
  await team.close();
  expect(await setting).toMatchObject({ ok: false, code: "storage" });
  expect(team.all("session.closed")).toEqual([]);
  expect(team.all("turn.waiting").at(-1)?.reason).toContain("can still be resumed");
});

test.each(["answer", "call"] as const)(
  "agent interrupted on a full disk (%s) continues when there is space again",
  async (first) => {
    const { team, disk } = await onFullDisk(first);
    await team.command({ type: "interrupt" });
    expect(await team.session.settled()).toMatchObject({ reason: "interrupted" });
    disk.full = false;
    expect((await team.ask("again")).text).toBe("as before");
    expect(team.all("tool.settled")).toHaveLength(first === "call" ? 1 : 0);
  },
);

test("agent fails when the end of a background job cannot be stored", async () => {
  const team = await teamSession({
    more: { store: troubled(({ type }) => (type === "background.ended" ? "EIO" : undefined)) },
    answer: lead(
      [{ calls: [{ tool: "Bash", input: { command: "true", run_in_background: true } }] }, { text: "started" }],
      () => ({ text: "" }),
    ),
  });
  await team.command({ type: "prompt", content: "go" });
  const stopped = await team.until(({ type }) => type === "agent.stopped");
  expect(stopped.event).toMatchObject({ outcome: "failed", detail: "cannot write: EIO" });
  await expect(team.session.settled()).rejects.toThrow("cannot write: EIO");
});

test("agent fails and its parent reads why when the loop warning cannot be stored", async () => {
  const isWarning = (event: StoredEvent) => event.type === "prompt.admitted" && event.source === "hook";
  const team = await teamSession({
    more: { store: troubled((event) => (isWarning(event) ? "EIO" : undefined)) },
    answer: lead([{ calls: [agent("go in circles")] }, { text: "I see" }], ({ turn }) =>
      turn < 6 ? { calls: [{ tool: "Bash", input: { command: "echo same" } }] } : { text: "done" },
    ),
  });
  await team.ask("go");
  expect(resultOf(team).text).toContain("cannot write: EIO");
  expect(team.all("agent.stopped")).toMatchObject([{ outcome: "failed", detail: "cannot write: EIO" }]);
});
