import { expect, test } from "vitest";
import { agent, lead, teamSession } from "../team/team-session.ts";

test("promise 14: one spawn is one agent: 100 runs of one answer that spawns 16 named agents, none lost, none double", async () => {
  const names = Array.from({ length: 16 }, (_, index) => `agent-${index}`);
  for (let run = 0; run < 100; run++) {
    const team = await teamSession({
      answer: lead([{ calls: names.map((name) => agent(name, { name })) }, { text: "over" }], (ask) => ({
        text: `I am ${ask.said}`,
      })),
    });
    await team.ask("go");
    const paths = team.all("agent.spawned").map(({ path }) => path);
    expect(paths.toSorted()).toEqual(["lead", ...names.map((name) => `lead/${name}`)].toSorted());
    const results = team.all("tool.settled", "lead");
    expect(results).toHaveLength(16);
    for (const [index, { outcome, content }] of results
      .toSorted((a, b) => number(a.callId) - number(b.callId))
      .entries()) {
      expect(outcome).toBe("ok");
      expect(JSON.stringify(content)).toContain(`I am ${names[index]}\\n`);
    }
    expect(team.asked(/^lead\//)).toHaveLength(16);
    await team.close();
  }
}, 60_000);

const number = (callId: string) => Number(callId.split("_").at(-1));
