import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Ask } from "../../src/testing.ts";
import { gate } from "../team/team-session.ts";
import { mailOf } from "./mail-of.ts";
import { alpha, leading, mate, say } from "./teammates.ts";

/** Resolves with what the lead is told once that has all of these words. */
function hears(...words: readonly string[]) {
  const found = gate();
  let text = "";
  return {
    look: ({ said }: Ask) => {
      text += said;
      if (words.every((word) => text.includes(word))) found.open();
      return { text: "I see" };
    },
    async all() {
      await found.opened;
      return text;
    },
  };
}

test("promise 03: the last answer of a teammate's turn reaches its lead though nobody asks for it, also of one that wrote to a peer", async () => {
  const heard = hears("the parser is in src/parse.ts", "told scout all");
  const team = await alpha({
    answer: leading([{ calls: [mate("scout"), mate("writer")] }, ...Array(9).fill(heard.look)], (ask) => {
      if (ask.agent === "scout@alpha") return { text: "the parser is in src/parse.ts" };
      return ask.turn === 1 ? { calls: [say("scout", "look there")] } : { text: "told scout all" };
    }),
  });
  await team.ask("go");
  expect(await heard.all()).toContain("Last said to a peer");
});

test("promise 03: a long answer comes as its beginning, with the file that has it whole", async () => {
  const long = Array.from({ length: 20_000 }, (_, index) => `line ${index}`).join("\n");
  const heard = hears("line 1\n", "the whole answer is in");
  const team = await alpha({
    answer: leading([{ calls: [mate("scout")] }, ...Array(5).fill(heard.look)], () => ({ text: long })),
  });
  await team.ask("go");
  const told = await heard.all();
  expect(told.length).toBeLessThan(20_000);
  expect(readFileSync(/the whole answer is in (\S+)\]/.exec(told)?.[1] ?? "", "utf8")).toBe(long);
});

test("promise 03: each answer is told once, in whichever turn it was given, and a failure with its reason", async () => {
  const heard = hears("[one]", "[two]", "could not go on");
  const team = await alpha({
    answer: leading([{ calls: [mate("scout")] }, ...Array(9).fill(heard.look)], async ({ turn }) => {
      if (turn === 3) return { text: "", fault: { kind: "forbidden" } };
      const mail = await mailOf(team.tree);
      await mail.send({ from: "user", to: "scout", text: `go on after ${turn}` });
      return { text: turn === 1 ? "[one]" : "[two]" };
    }),
  });
  await team.ask("go");
  const told = await heard.all();
  expect(told.match(/\[(one|two)\]/g)).toEqual(["[one]", "[two]"]);
});
