import { expect, test } from "vitest";
import { agent, lead, resultOf, teamSession, textOf } from "../../support/team/team-session.ts";

const skill = (name: string, body: string, head = "") =>
  `---\nname: ${name}\ndescription: About ${name}.\n${head}---\n${body}\n`;
const definition = (head: string) => `---\nname: keen\ndescription: k\n${head}\n---\nYou are keen.\n`;
const system = (ask: { request: { system: readonly unknown[] } } | undefined) => JSON.stringify(ask?.request.system);
const calling = (type: object, child: Parameters<typeof lead>[1] = () => ({ text: "done" })) =>
  lead([{ calls: [agent("work", type)] }, { text: "over" }], child);

test("skills named by a definition are in the system prompt; the others are offered", async () => {
  const team = await teamSession({
    files: {
      "home/.troupe/agents/keen.md": definition("skills: api, review"),
      "home/.troupe/skills/api/SKILL.md": skill("api", "Name things well."),
      "home/.troupe/skills/api/names.txt": "n",
      "home/.troupe/skills/review/SKILL.md": skill("review", "Look twice. Now: $ARGUMENTS."),
      "home/.troupe/skills/deploy/SKILL.md": skill("deploy", "Press the button."),
    },
    answer: calling({ subagent_type: "keen" }, (ask) =>
      ask.turn === 1 ? { calls: [{ tool: "Skill", input: { skill: "deploy" } }] } : { text: ask.result?.text ?? "" },
    ),
  });
  await team.ask("go");
  const said = system(team.asked(/^lead\//)[0]);
  expect(said).toContain("Name things well.");
  expect(said).toContain("names.txt");
  expect(said).toContain("Look twice. Now: .");
  expect(said).toContain("- deploy: About deploy.");
  expect(said).not.toContain("- api: About api.");
  expect(resultOf(team).text).toContain("Press the button.");
  expect(system(team.asked("lead")[0])).not.toContain("Name things well.");
});

test("unknown, user-only and denied skills are reported to the parent; the agent starts", async () => {
  const team = await teamSession({
    settings: { permissions: { deny: ["Skill(secret)"] } },
    files: {
      "home/.troupe/agents/keen.md": definition("skills: [apy, secret, mine]"),
      "home/.troupe/skills/api/SKILL.md": skill("api", "Name things well."),
      "home/.troupe/skills/secret/SKILL.md": skill("secret", "Hush."),
      "home/.troupe/skills/mine/SKILL.md": skill("mine", "Mine.", "disable-model-invocation: true\n"),
    },
    answer: calling({ subagent_type: "keen" }),
  });
  await team.ask("go");
  const { text, outcome } = resultOf(team);
  expect(outcome).toBe("ok");
  expect(text).toContain("Note: keen: skills: apy: there is no such skill; did you mean api?");
  expect(text).toContain("Note: keen: skills: secret: a rule denies it");
  expect(text).toContain("Note: keen: skills: mine: only the user can run it");
  expect(system(team.asked(/^lead\//)[0])).not.toContain("Hush.");
});

test("an agent without the Skill tool gets its preloaded skills and no offer of others", async () => {
  const team = await teamSession({
    files: {
      "home/.troupe/agents/keen.md": definition("tools: Read\nskills: api"),
      "home/.troupe/skills/api/SKILL.md": skill("api", "Name things well."),
      "home/.troupe/skills/deploy/SKILL.md": skill("deploy", "Press the button."),
    },
    answer: calling({ subagent_type: "keen" }),
  });
  await team.ask("go");
  const said = system(team.asked(/^lead\//)[0]);
  expect(said).toContain("Name things well.");
  expect(said).not.toContain("deploy");
});

const running = { calls: [{ tool: "Bash", input: { command: "touch made" } }] };

test.each([
  ["home/.troupe/skills/build/SKILL.md", "ok"],
  ["project/.troupe/skills/build/SKILL.md", "denied"],
])("allowed tools of a preloaded skill apply to the agent if the skill is trusted: %s", async (place, outcome) => {
  const team = await teamSession({
    flags: { permissionMode: "default" },
    files: {
      "home/.troupe/agents/keen.md": definition("skills: build"),
      [place]: skill("build", "Make it.", "allowed-tools: Bash(touch *)\n"),
    },
    answer: calling({ subagent_type: "keen" }, (ask) => (ask.turn === 1 ? running : { text: "done" })),
  });
  await team.ask("go");
  const settled = team.envelopes.flatMap(({ event }) => (event.type === "tool.settled" ? [event.outcome] : []));
  expect(settled[0]).toBe(outcome);
});

test("a fork has only its parent's prompt", async () => {
  const team = await teamSession({
    flags: { forks: true },
    files: {
      "home/.troupe/agents/general-purpose.md":
        "---\nname: general-purpose\ndescription: g\nskills: api\n---\nYou are.\n",
      "home/.troupe/skills/api/SKILL.md": skill("api", "Name things well."),
    },
    answer: calling({ subagent_type: undefined }),
  });
  await team.ask("go");
  expect(system(team.asked(/^lead\//)[0])).toBe(system(team.asked("lead")[0]));
  expect(textOf(team.asked(/^lead\//)[0]?.request.messages ?? [])).not.toContain("Name things well.");
});
