import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Session } from "../../../src/session/index.ts";
import { filesIn, type TimeTravelPlace, timeTravelPlace } from "../../support/session/time-travel.ts";

let place: TimeTravelPlace;
beforeEach(async () => {
  place = await timeTravelPlace();
});
afterEach(() => place.remove());

const hand = (path: string, text: string) => writeFileSync(join(place.cwd, path), text);
const words = () =>
  place
    .lastMessages()
    .map(({ role, parts }) => `${role}: ${parts.map((part) => ("text" in part ? part.text : part.type)).join()}`);
const pointOf = async (session: Session, text: string) => {
  const point = (await session.changes.rewindPoints()).findLast((each) => each.text === text);
  if (!point) throw new Error(`no point ${text}`);
  return point.id;
};
const rewind = async (session: Session, text: string, what: "both" | "files" | "conversation" = "both") =>
  session.dispatch({ type: "rewind", to: await pointOf(session, text), what });

describe("rewind of a session", () => {
  it("restores files and conversation, also after a resume, and can itself be rewound", async () => {
    execFileSync("git", ["init", "-q", place.cwd]);
    hand("a.txt", "by hand");
    const session = await place.open();
    await place.ask(session, "say hello");
    await place.ask(session, "echo one > a.txt; mkdir d; echo new > d/b.txt");
    hand("c.txt", "typed between prompts");
    await place.ask(session, "echo two > a.txt; rm -r d");
    const end = filesIn(place.cwd);
    expect(await rewind(session, "echo one > a.txt; mkdir d; echo new > d/b.txt")).toEqual({ ok: true });
    expect(filesIn(place.cwd)).toEqual({ "a.txt": "by hand" });
    await place.ask(session, "say what now");
    expect(words()).toEqual(["user: say hello", "assistant: done: say hello", "user: say what now"]);
    await session.close();

    const again = await place.open(session.id);
    await place.ask(again, "say still there");
    expect(words().slice(2)).toEqual(["user: say what now", "assistant: done: say what now", "user: say still there"]);
    const undo = (await again.changes.rewindPoints()).find(({ kind }) => kind === "rewind");
    expect(undo?.text).toBe(
      "Back to the moment before the prompt “echo one > a.txt; mkdir d; echo new > d/b.txt”: the conversation and 2 files.",
    );
    expect(await again.dispatch({ type: "rewind", to: undo?.id ?? "" })).toEqual({ ok: true });
    expect(filesIn(place.cwd)).toEqual(end);
    await place.ask(again, "say after all");
    expect(words()).toHaveLength(11);
    expect(words().join()).toContain("echo two");
    expect(words().join()).not.toContain("say what now");
    await again.close();
  });

  it("restores only files, or only the conversation", async () => {
    const session = await place.open();
    await place.ask(session, "echo 1 > a");
    await place.ask(session, "echo 2 > a");
    await rewind(session, "echo 2 > a", "files");
    expect(filesIn(place.cwd)).toEqual({ a: "1\n" });
    await place.ask(session, "say it");
    expect(words().join()).toContain("echo 2");
    await rewind(session, "echo 2 > a", "conversation");
    await place.ask(session, "say again");
    expect(words().join()).not.toContain("echo 2");
    expect(filesIn(place.cwd)).toEqual({ a: "1\n" });
    expect(await session.dispatch({ type: "rewind", to: "prm_none" })).toMatchObject({ ok: false, code: "usage" });
    const { transcript } = [...session.view().agents.tail].at(0) ?? {};
    expect(JSON.stringify(transcript)).toContain("Back to the moment before the prompt “echo 2 > a”");
    await session.close();
  });

  it("rewinds a closed session from the command line's side, and forks it at any moment", async () => {
    const session = await place.open();
    await place.ask(session, "echo 1 > a");
    await place.ask(session, "echo 2 > a");
    await session.close();
    const { stored } = place;
    const [first, second] = await stored.points(session.id);
    expect((await stored.diff(session.id, {})).split("\n").slice(-2)).toEqual(["+2", ""]);
    expect(await stored.diff(session.id, { prompt: second?.id, stat: true })).toContain("a | 2 +-");
    expect(await stored.diff(session.id, { prompt: first?.id, agent: "lead" })).toContain("+1");
    const forked = await stored.fork(session.id, second?.id);
    await stored.rewind(session.id, { to: first?.id ?? "", what: "files" });
    expect(filesIn(place.cwd)).toEqual({});
    await stored.rewind(session.id, { to: (await stored.points(session.id)).at(-1)?.id ?? "" });
    expect(filesIn(place.cwd)).toEqual({ a: "2\n" });

    const fork = await place.open(forked);
    expect(fork.id).toBe(forked);
    await place.ask(fork, "say who");
    expect(words()).toHaveLength(5);
    expect(words().join()).not.toContain("echo 2");
    await fork.close();
    const original = await place.open(session.id);
    await place.ask(original, "say who");
    expect(words()).toHaveLength(9);
    await original.close();
  });

  it("restores the worktrees of agents, and leaves later ones alone", async () => {
    execFileSync("git", ["init", "-q", "-b", "main", place.cwd]);
    hand("a", "1");
    const identity = ["-c", "user.name=T", "-c", "user.email=t@example.com"];
    execFileSync("git", ["-C", place.cwd, "add", "-A"]);
    execFileSync("git", ["-C", place.cwd, ...identity, "commit", "-qm", "first"]);
    const session = await place.open();
    const worktreeOf = async (command: string) => {
      await place.ask(session, `agent ${command}`);
      const spawned = [...(await place.stored.store.readAgents(session.id)).values()].at(-1)?.[0]?.event;
      return spawned?.type === "agent.spawned" ? spawned.cwd : "";
    };
    const first = await worktreeOf("echo 1 > w");
    await place.ask(session, "echo 2 > a");
    const second = await worktreeOf("echo 3 > w");
    writeFileSync(join(first, "w"), "by hand");
    expect([filesIn(first), filesIn(second)]).toEqual([
      { a: "1", w: "by hand" },
      { a: "1", w: "3\n" },
    ]);
    await rewind(session, "echo 2 > a");
    expect([filesIn(place.cwd), filesIn(first), filesIn(second)]).toEqual([
      { a: "1" },
      { a: "1", w: "1\n" },
      { a: "1", w: "3\n" },
    ]);
    const undo = (await session.changes.rewindPoints()).at(-1)?.id ?? "";
    await session.dispatch({ type: "rewind", to: undo });
    expect(filesIn(first)).toEqual({ a: "1", w: "by hand" });
    expect(await session.changes.diff({ stat: true })).toContain(first);
    await session.close();
  });

  it("interrupts the turn that runs", async () => {
    const session = await place.open();
    await place.ask(session, "say hi");
    await session.dispatch({ type: "prompt", content: "touch started; sleep 60" });
    for await (const { event } of session.events({ replay: true })) if (event.type === "tool.called") break;
    await rewind(session, "touch started; sleep 60");
    expect(filesIn(place.cwd)).toEqual({});
    await place.ask(session, "say next");
    expect(words()).toEqual(["user: say hi", "assistant: done: say hi", "user: say next"]);
    await session.close();
  });

  it("shows what happened since the last state, and works without a repository in a new folder", async () => {
    const session = await place.open();
    await place.ask(session, "echo 1 > a");
    hand("a", "3\n");
    expect(await session.changes.diff()).toContain("+3");
    expect(await session.changes.diff({ agent: "lead", stat: true })).toContain("1 file changed");
    rmSync(join(place.cwd, "a"));
    expect(await session.changes.diff()).toBe("");
    await session.close();
  });
});
