import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Ask } from "../../../src/testing.ts";
import { gate } from "../../support/team/team-session.ts";
import { mailOf } from "../../support/mail/session-mailbox.ts";
import {
  alpha,
  bash,
  inState,
  leading,
  mate,
  memberLog,
  report,
  requestIn,
  say,
  written,
} from "../../support/team/scripted-team.ts";

/** Resolves with the lead's input once it contains all of these words. */
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

test("promise 03: teammate's last answer reaches its lead unasked, also after mail to a peer", async () => {
  const heard = hears("the parser is in src/parse.ts", "told scout all");
  const team = await alpha({
    answer: leading([{ calls: [mate("scout"), mate("writer")] }, ...Array(9).fill(heard.look)], (ask) => {
      if (ask.agent === "scout@alpha") return { text: "the parser is in src/parse.ts" };
      return ask.turn === 1 ? { calls: [say("scout", "look there")] } : { text: "told scout all" };
    }),
  });
  await team.ask("go");
  // The report has an answer, so its messages to others say nothing more.
  expect(await heard.all()).not.toContain("Last message to another member");
});

test("promise 03: long answer arrives as its beginning and the path of the full text", async () => {
  const long = Array.from({ length: 20_000 }, (_, index) => `line ${index}`).join("\n");
  const heard = hears("line 1\n", "the whole answer is in");
  const team = await alpha({
    answer: leading([{ calls: [mate("scout")] }, ...Array(5).fill(heard.look)], () => ({ text: long })),
  });
  await team.ask("go");
  const told = await heard.all();
  expect(told.length).toBeLessThan(20_000);
  expect(told).toMatch(/the whole answer is in \S+\]\nWhat was really done, by the log:/);
  expect(readFileSync(/the whole answer is in (\S+)\]/.exec(told)?.[1] ?? "", "utf8")).toBe(long);
});

test("promise 03: each answer is reported once, from any turn, and a failure with its reason", async () => {
  const heard = hears("[one]", "[two]", "could not continue");
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

test("promise 03: teammate's text before an interrupt reaches its lead", async () => {
  const team = await alpha({
    answer: leading([{ calls: [mate("scout")] }, { text: "waiting" }], () => ({
      text: "[half of it]",
      calls: [bash("echo 1 > begun; sleep 1000")],
    })),
  });
  await team.ask("go");
  await written(team.cwd, "begun");
  await team.command({ type: "member.interrupt", name: "scout" });
  const { event } = await team.until(report(/scout was interrupted/));
  expect(JSON.stringify(event)).toContain("[half of it]");
});

test("promise 03: teammate's text with its shutdown approval reaches its lead", async () => {
  const heard = hears("[the result is 42]");
  const team = await alpha({
    answer: leading(
      [
        { calls: [mate("scout")] },
        { text: "waiting" },
        { calls: [say("scout", { type: "shutdown_request", reason: "the work is done" })] },
        { text: "asked" },
        ...Array(3).fill(heard.look),
      ],
      ({ said }) => {
        if (!said.includes("asks you to end")) return { calls: [bash("until test -e asked; do sleep 0.02; done")] };
        const approval = { type: "shutdown_response", request_id: requestIn(said), approve: true };
        return { text: "[the result is 42]", calls: [say("team-lead", approval)] };
      },
    ),
  });
  await team.ask("go");
  await inState(team, "scout", "working");
  await team.ask("end it");
  writeFileSync(join(team.cwd, "asked"), "");
  await inState(team, "scout", "ended");
  expect(await heard.all()).toMatch(/This is the last report of scout, which ends now\.\nWhat it said:/);
  const log = await memberLog(team.tree, "scout");
  const sent = log.flatMap((event) => (event.type === "mail.sent" ? [event.kind] : []));
  expect(sent).toEqual(["idle_notification", "shutdown_approved"]);
});
