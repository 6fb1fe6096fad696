import { resolve } from "node:path";
import { expect, test } from "vitest";
import type { Ask, Answer } from "../../../src/testing.ts";
import { membersOf } from "../../support/team/scripted-team.ts";
import { resultOf, type TeamOptions, type TeamSession, teamSession } from "../../support/team/team-session.ts";

const program = resolve(import.meta.dirname, "../../support/programs/acp-agent.mjs");

/** An agent type that another program runs: `acp-agent.mjs`, made with the protocol's own SDK. */
const other = (command: readonly string[] = [process.execPath, program]) =>
  `---\nname: other\ndescription: an agent of another program\nbackend: acp\ncommand: ${JSON.stringify(command)}\n---\nYou are good at looking.`;

const begin = (prompt: string, more: object = {}) => ({
  calls: [{ tool: "Agent", input: { description: "look", prompt, name: "scout", subagent_type: "other", ...more } }],
});

function team(
  first: Answer,
  answer: (ask: Ask) => Answer = () => ({ text: "heard" }),
  more: Partial<TeamOptions> = {},
) {
  return teamSession({
    stored: true,
    flags: { team: "alpha", permissionMode: "default" },
    files: { "home/.troupe/agents/other.md": other() },
    answer: (ask) => (ask.turn === 1 ? first : answer(ask)),
    ...more,
  });
}

/** A lead that sends a message to the scout the first time it receives certain words. */
function onceEach(words: readonly (readonly [string, string])[]) {
  const left = [...words];
  return ({ said }: Ask): Answer => {
    const at = left.findIndex(([heardWord]) => said.includes(heardWord));
    if (at < 0) return { text: "waiting" };
    const [[, message] = ["", ""]] = left.splice(at, 1);
    return { calls: [{ tool: "SendMessage", input: { to: "scout", message } }] };
  };
}

/** Resolves when the lead receives a matching prompt. */
const heard = (made: TeamSession, pattern: RegExp) =>
  made.until((event) => event.type === "prompt.admitted" && pattern.test(JSON.stringify(event.parts)));

test("an ACP agent is a member: it gets prompt and mail, is logged, and answers the lead", async () => {
  const made = await team(begin("look around"), onceEach([["turn 1;", "and once more"]]));
  await made.ask("go");
  await heard(made, /turn 1; servers: troupe/);
  await heard(made, /turn 2; servers: troupe/);
  const turns = made.all("turn.ended", "scout@alpha");
  expect(turns[0]?.parts).toEqual([
    { type: "thinking", text: "▸ Looking around\n" },
    { type: "text", text: "turn 1; servers: troupe" },
  ]);
  expect(made.all("member.joined")).toMatchObject([{ name: "scout", agentType: "other", model: "acp/other" }]);
});

test.each([
  ["allow", "allowed"],
  ["deny", "refused"],
] as const)("its permission questions go to the lead: %s", async (behavior, word) => {
  const made = await team(begin("@@ask"), undefined, {
    more: {
      asker: async ({ member, tool, question }) => {
        expect({ member, tool, question }).toMatchObject({
          member: { name: "scout" },
          tool: "acp:execute",
          question: "Run make",
        });
        return behavior === "allow" ? { behavior, scope: "once" } : { behavior };
      },
    },
  });
  await made.ask("go");
  await heard(made, new RegExp(`turn 1 ${word}`));
});

test("its rights without asking never exceed its lead's current rights", async () => {
  const asked: string[] = [];
  const made = await team(begin("@@ask"), undefined, {
    flags: { team: "alpha", permissionMode: "bypassPermissions" },
    more: {
      asker: async ({ question }) => {
        asked.push(question);
        return { behavior: "deny" };
      },
    },
  });
  await made.ask("go");
  await heard(made, /turn 1 allowed/);
  expect(asked).toEqual([]);
  expect(await made.command({ type: "set", permissionMode: "default" })).toEqual({ ok: true });
  await expect.poll(async () => (await membersOf(made.tree))[0]?.mode).toBe("default");
  await made.command({ type: "mail.send", to: "scout", text: "@@ask" });
  await heard(made, /turn 2 refused/);
  expect(asked).toEqual(["Run make"]);
});

test("one that must plan first is not started: nothing could hold back its work until then", async () => {
  const made = await team(begin("look", { plan_mode_required: true }));
  await made.ask("go");
  expect(resultOf(made)).toMatchObject({
    outcome: "failed",
    text: expect.stringContaining("runs in an external program that cannot present a plan.") as string,
  });
  expect(made.all("member.joined")).toEqual([]);
});

test("a crash is reported, and the next message restarts it with the earlier conversation", async () => {
  const made = await team(
    begin("look around"),
    onceEach([
      ["turn 1;", "@@die"],
      ["exit code 3", "go on"],
    ]),
  );
  await made.ask("go");
  await heard(made, /exit code 3/);
  await heard(made, /turn 1 again/);
});

test("an interrupt cancels its turn and nothing else", async () => {
  const made = await team(begin("@@hang"));
  await made.ask("go");
  await made.until((event) => event.type === "text.delta" && event.text === "half a w");
  expect(await made.command({ type: "member.interrupt", name: "scout" })).toEqual({ ok: true });
  await made.until((event) => event.type === "member.changed" && event.name === "scout" && event.state === "idle");
});

test("a missing program or invalid output fails with a clear error", async () => {
  const missing = await team(begin("look"), undefined, {
    files: { "home/.troupe/agents/other.md": other(["/no/such/program"]) },
  });
  await missing.ask("go");
  await heard(missing, /the program does not exist/);
  const noisy = await team(begin("@@garbage"));
  await noisy.ask("go");
  await heard(noisy, /turn 1; servers/);
});

test("it is refused as a subagent; a definition of an untrusted folder starts no program", async () => {
  const made = await team({
    calls: [{ tool: "Agent", input: { description: "x", prompt: "y", subagent_type: "other" } }],
  });
  await made.ask("go");
  expect(JSON.stringify(made.all("tool.settled"))).toContain(
    "as a subagent: another program runs it, so it can only be a teammate. Start it with a name, in a team.",
  );
  const untrusted = await team(begin("look"), undefined, {
    files: { "project/.troupe/agents/other.md": other() },
  });
  await untrusted.ask("go");
  expect(JSON.stringify(untrusted.all("tool.settled"))).not.toContain("has started in team");
  expect(untrusted.all("turn.started", "scout@alpha")).toEqual([]);
});
