import { expect, test } from "vitest";
import { gate, textOf } from "../../support/team/team-session.ts";
import { comesTo, mailOf, noticesOf } from "../../support/mail/session-mailbox.ts";
import { alpha, bash, filesOf, hang, inState, leading, mate } from "../../support/team/scripted-team.ts";

const read = { tool: "Read", input: { file_path: "notes.txt" } };
const trials = 100;

test(`promise 02: busy teammate has its mail in the very next request, ${trials} times out of ${trials}`, async () => {
  const late: number[] = [];
  const done = gate();
  let mail: Awaited<ReturnType<typeof mailOf>> | undefined;
  const team = await alpha({
    files: { "project/notes.txt": "nothing new" },
    answer: leading([{ calls: [mate("scout")] }, { text: "waiting" }], async ({ turn, said, request }) => {
      const sent = turn - 1;
      if (sent > 0 && !said.includes(`[word ${sent}]`)) late.push(sent);
      if (sent === trials) {
        const heard = textOf(request.messages).match(/\[word \d+\]/g) ?? [];
        expect(heard).toEqual(Array.from({ length: trials }, (_, index) => `[word ${index + 1}]`));
        done.open();
        return { text: "all heard" };
      }
      mail ??= await mailOf(team.tree);
      await mail.send({ from: "user", to: "scout", text: `[word ${turn}]` });
      return { calls: [read] };
    }),
  });
  await team.ask("go");
  await done.opened;
  expect(late).toEqual([]);
});

test("promise 02: urgent message stops the turn or call and is read at once, without an idle report", async () => {
  const team = await alpha({
    answer: leading([{ calls: [mate("scout")] }, { text: "waiting" }], ({ turn, said }) => {
      if (said.includes("the end")) return { text: `turn ${turn}: stopped twice` };
      if (said.includes("not that")) return { calls: [bash("tail -f /dev/null")] };
      return hang;
    }),
  });
  await team.ask("go");
  const mail = await mailOf(team.tree);
  await inState(team, "scout", "working");
  await mail.send({ from: "team-lead", to: "scout", text: "not that", urgent: true });
  while (team.asked("scout@alpha").length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
  await mail.send({ from: "team-lead", to: "scout", text: "the end", urgent: true });
  await team.until(isReport);
  expect(await noticesOf(mail)).toMatchObject([{ idleReason: "available", result: "turn 3: stopped twice" }]);
});

test("promise 02: sender can query a message's state: queued, delivered, read, failed", async () => {
  const goOn = gate();
  const team = await alpha({
    answer: leading([{ calls: [mate("scout")] }, { text: "waiting" }], async ({ turn }) => {
      if (turn === 1) await goOn.opened;
      return { text: "done" };
    }),
  });
  await team.ask("go");
  await inState(team, "scout", "working");
  const mail = await mailOf(team.tree);
  const { record } = await filesOf(team.tree);
  await record.join({ name: "absent", cwd: team.cwd, backendType: "remote" });
  const { id } = await mail.send({ from: "user", to: "scout", text: "hello" });
  await comesTo(mail, { id, to: "scout", state: "delivered" });
  expect(team.asked("scout@alpha")).toHaveLength(1);
  goOn.open();
  await comesTo(mail, { id, to: "scout", state: "read" });
  const other = await (await mailOf(team.tree)).send({ from: "user", to: "absent", text: "hello" });
  await comesTo(mail, { id: other.id, to: "absent", state: "queued" });
  await record.end("absent", { reason: "killed" });
  await comesTo(mail, { id: other.id, to: "absent", state: "failed" });
});

const isReport = (event: { readonly type: string; readonly kind?: unknown }) =>
  event.type === "mail.received" && event.kind === "idle_notification";
