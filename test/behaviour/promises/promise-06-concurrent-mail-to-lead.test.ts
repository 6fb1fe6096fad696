import { appendFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Ask } from "../../../src/testing.ts";
import { gate } from "../../support/team/team-session.ts";
import { alpha, leading, mate, say } from "../../support/team/scripted-team.ts";

const senders = ["anna", "bert", "cleo", "dora"] as const;
const each = 25;

test("promise 06: lead reads concurrent mail of four teammates once, in order, past a bad record", async () => {
  const heard: string[] = [];
  const isAll = gate();
  const look = ({ said }: Ask) => {
    heard.push(...(said.match(/\[\w+ \d+\]/g) ?? []));
    if (heard.length >= senders.length * each) isAll.open();
    return { text: "go on" };
  };
  const team = await alpha({
    answer: leading([{ calls: senders.map((name) => mate(name)) }, ...Array(500).fill(look)], ({ agent, turn }) => {
      const name = agent.split("@")[0];
      if (turn > each) return { text: "done" };
      if (turn === 10)
        appendFileSync(
          team.tree.path("home/.troupe/teams/alpha/inboxes/team-lead.jsonl"),
          `\n{"mail":{"id":"mail_torn${name}\n\nnot even JSON \u0000\n`,
        );
      return { calls: [say("team-lead", `[${name} ${turn}]`)] };
    }),
  });
  await team.ask("go");
  await isAll.opened;
  for (const name of senders) {
    const own = heard.filter((text) => text.startsWith(`[${name} `));
    expect(own).toEqual(Array.from({ length: each }, (_, index) => `[${name} ${index + 1}]`));
  }
  const told = await team.until((event) => event.type === "notice.raised" && event.code === "mail");
  expect(told.event).toMatchObject({ message: expect.stringMatching(/cannot read .* is in .*\.bad-/) as string });
});
