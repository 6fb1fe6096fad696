import { expect, test } from "vitest";
import type { Answer, Ask } from "../../../src/testing.ts";
import { openTeam } from "../../../src/team/index.ts";
import { createIdFactory, systemClock } from "../../../src/platform/index.ts";
import { teamSession } from "../../support/team/team-session.ts";

const members = 30;
const messages = 600;
/** Messages that are under way at the same time. */
const tokens = 20;

const nameOf = (index: number) => `member-${index}`;
const words = (token: number, hop: number) => `token ${token} hop ${hop};`;

test(`${members} members in one process pass ${messages} messages around: none lost, none read twice`, async () => {
  const heard: string[] = [];
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => (finish = resolve));

  const passOn = (agent: string, token: number, hop: number) => {
    heard.push(words(token, hop));
    if (heard.length === messages) finish();
    if (hop + 1 >= messages / tokens) return [];
    const own = Number(/\d+/.exec(agent)?.[0]);
    const to = nameOf((own + 1 + ((hop * 7 + token) % (members - 1))) % members);
    return [{ tool: "SendMessage", input: { to, message: words(token, hop + 1), summary: "the next one" } }];
  };

  const member = ({ agent, request }: Ask): Answer => {
    const last = request.messages.findLastIndex(({ role }) => role === "assistant");
    const said = JSON.stringify(request.messages.slice(last + 1).filter(({ role }) => role === "user"));
    const calls = [...said.matchAll(/token (\d+) hop (\d+);/g)].flatMap(([, token, hop]) =>
      passOn(agent, Number(token), Number(hop)),
    );
    return calls.length === 0 ? { text: "well" } : { calls };
  };

  const team = await teamSession({
    stored: true,
    flags: { team: "alpha" },
    settings: { limits: { maxConcurrentAgents: 64 } },
    answer: (ask) => {
      if (ask.agent !== "lead") return member(ask);
      if (ask.turn > 1) return { text: "finished" };
      const start = (index: number) => ({
        tool: "Agent",
        input: { description: "a part of it", prompt: "Wait for mail.", name: nameOf(index) },
      });
      return { calls: Array.from({ length: members }, (_, index) => start(index)) };
    },
  });
  await team.ask("go");
  const home = team.tree.path("home/.troupe");
  const files = await openTeam("alpha", { home, clock: systemClock, createId: createIdFactory(systemClock) });
  try {
    for (let token = 0; token < tokens; token++)
      await files.mailbox.send({ from: "user", to: nameOf(token), text: words(token, 0) });
    await finished;
    // Closing waits until the members are idle and their mail is marked as read.
    await team.close();
    expect(new Set(heard).size).toBe(messages);
    expect(heard).toHaveLength(messages);
    for (let index = 0; index < members; index++) expect(await files.mailbox.readUnread(nameOf(index))).toEqual([]);
  } finally {
    await files.close();
  }
});
