import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { PermissionAnswer } from "../../../src/protocol/index.ts";
import { gate, type TeamSession } from "../../support/team/team-session.ts";
import { alpha, bash, filesOf, inState, leading, mate, membersOf, statesOf } from "../../support/team/scripted-team.ts";

const yes: PermissionAnswer = { behavior: "allow", scope: "once" };

/** A model that starts, works and answers a shutdown request only on a signal, so that the test sees every state. */
const script = `
import { existsSync } from "node:fs";
import { join } from "node:path";
const told = async (step) => {
  while (!existsSync(join(import.meta.dirname, step))) await new Promise((resolve) => setTimeout(resolve, 10));
};
const request = (said) => /"request_id":"([^"]+)"(?![\\s\\S]*"request_id")/.exec(said)?.[1];
const agree = (said) => ({ tool: "SendMessage", input: { to: "team-lead", message: { type: "shutdown_response", request_id: request(said), approve: true } } });
await told("begin");
export default async (ask) => {
  if (ask.said.includes("asks you to end") && ask.result?.tool !== "SendMessage") {
    await told("end");
    return { calls: [agree(ask.said)] };
  }
  if (ask.turn > 1) return { text: "done" };
  await told("work");
  return { calls: [{ tool: "Bash", input: { command: "touch asked-for" } }] };
};`;

const slow = "---\nname: slow\ndescription: waits\nmodel: scripted/s.mjs\n---\nYou wait.";

test("promise 13: every state of a member is shown, and an ended member stays in the record", async () => {
  const answers = gate();
  const team = await alpha({
    files: { "project/s.mjs": script, "home/.troupe/agents/slow.md": slow },
    flags: { permissionMode: "default" },
    answer: leading(
      [{ calls: [mate("scout", "work", { subagent_type: "slow" })] }, { text: "waiting" }],
      () => undefined,
    ),
    more: {
      async asker() {
        await answers.opened;
        return { behavior: "allow", scope: "once" };
      },
    },
  });
  const go = (step: string) => writeFileSync(team.tree.path(`project/${step}`), "");
  const asked = team.ask("go");
  await inState(team, "scout", "starting");
  go("begin");
  await inState(team, "scout", "working");
  go("work");
  await asked;
  const { event } = await inState(team, "scout", "waiting");
  expect(event).toMatchObject({ detail: expect.stringContaining("touch asked-for") as string, alive: "alive" });
  answers.open();
  await inState(team, "scout", "idle");
  const stopped = team.command({ type: "member.stop", name: "scout" });
  await inState(team, "scout", "draining");
  go("end");
  expect(await stopped).toEqual({ ok: true });
  await inState(team, "scout", "ended");
  const seen = statesOf(team, "scout");
  expect([...new Set(seen)].toSorted()).toEqual(["draining", "ended", "idle", "starting", "waiting", "working"]);
  expect([seen[0], seen.at(-1)]).toEqual(["starting", "ended"]);
  expect(await membersOf(team.tree)).toMatchObject([{ name: "scout", ended: { reason: "shutdown" } }]);
  const last = team.all("member.changed").findLast(({ name }) => name === "scout");
  expect(last).toMatchObject({ state: "ended", detail: "shutdown", alive: "dead" });
  const again = await (await filesOf(team.tree)).record.read();
  expect(again.members.map(({ name }) => name)).toEqual(["team-lead", "scout"]);
});

/** Resolves when the lead currently sees this member in this state. */
const isNow = async (team: TeamSession, name: string, state: string, detail: string) => {
  const last = () => team.all("member.changed").findLast((event) => event.name === name);
  await team.until(() => last()?.state === state && (last()?.detail ?? "").includes(detail));
};

const helper = (prompt: string, more: object = {}) => ({
  tool: "Agent",
  input: { description: "help", prompt, subagent_type: "general-purpose", ...more },
});

test("promise 13, 21: member waits as long as one of its agents does", async () => {
  const answers = new Map<string, (answer: PermissionAnswer) => void>();
  const team = await alpha({
    flags: { permissionMode: "default" },
    answer: leading([{ calls: [mate("scout")] }, { text: "waiting" }], ({ agent, said, turn }) => {
      if (turn > 1) return { text: "done" };
      if (agent === "scout@alpha") return { calls: [helper("do one"), helper("do two")] };
      return { calls: [bash(said.includes("do one") ? "touch one" : "touch two")] };
    }),
    more: {
      asker: ({ question }) => new Promise((answer) => answers.set(question.includes("two") ? "two" : "one", answer)),
    },
  });
  await team.ask("go");
  await isNow(team, "scout", "waiting", "touch ");
  await expect.poll(() => answers.size).toBe(2);
  answers.get("one")?.(yes);
  await isNow(team, "scout", "waiting", "touch two");
  answers.get("two")?.(yes);
  await isNow(team, "scout", "idle", "");
});

test.each([false, true])(
  "promise 13, 21: member whose agent asks shows that it waits (in the background: %s)",
  async (inBackground) => {
    const answer = gate();
    const rested = gate();
    const team = await alpha({
      flags: { permissionMode: "default" },
      answer: leading([{ calls: [mate("scout")] }, { text: "waiting" }], async ({ agent, turn }) => {
        if (agent !== "scout@alpha") {
          if (inBackground) await rested.opened;
          return turn === 1 ? { calls: [bash("touch by-helper")] } : { text: "helped" };
        }
        return turn === 1 ? { calls: [helper("p", { run_in_background: inBackground })] } : { text: "done" };
      }),
      more: {
        async asker() {
          await answer.opened;
          return yes;
        },
      },
    });
    await team.ask("go");
    if (inBackground) await isNow(team, "scout", "working", "waits for background");
    rested.open();
    await isNow(team, "scout", "waiting", "touch by-helper");
    answer.open();
    await isNow(team, "scout", "idle", "");
    await expect.poll(() => existsSync(join(team.cwd, "by-helper"))).toBe(true);
  },
);
