import { expect, test } from "vitest";
import { gate, textOf } from "../../support/team/team-session.ts";
import { mailOf, noticesOf } from "../../support/mail/session-mailbox.ts";
import { alpha, leading, mate } from "../../support/team/scripted-team.ts";

const rounds = 200;
const numbers = Array.from({ length: rounds }, (_, index) => `[word ${index + 1}]`);

test(`promise 08: message to a finishing teammate is read in that run or wakes it, ${rounds} times out of ${rounds}`, async () => {
  const heard: string[] = [];
  const all = gate();
  const failed: unknown[] = [];
  const team = await alpha({
    answer: leading([{ calls: [mate("scout")] }], async ({ said, request }) => {
      heard.push(...(said.match(/\[word \d+\]/g) ?? []));
      const next = heard.length + 1;
      if (next > rounds) {
        expect(textOf(request.messages).match(/\[word \d+\]/g)).toEqual(numbers);
        all.open();
      } else {
        // At any moment from the middle of its last answer to well after its idle report.
        setTimeout(() => void send(next).catch((error: unknown) => failed.push(error)), (next % 40) / 4);
      }
      return { text: `answer ${next - 1}` };
    }),
  });
  const mail = await mailOf(team.tree);
  const send = (number: number) => mail.send({ from: "user", to: "scout", text: `[word ${number}]` });
  await team.ask("go");
  await all.opened;
  expect(heard).toEqual(numbers);
  expect(failed).toEqual([]);
  await team.until(
    (event, { agent }) => event.type === "prompt.admitted" && agent !== "" && textIn(event.parts, `answer ${rounds}`),
  );
  const told = (await noticesOf(mail)).map(({ result }) => result).join("\n");
  // A report begins with its last answer.
  const answers = [...told.matchAll(/answer (\d+)/g)].map(([, number]) => Number(number)).toSorted((a, b) => a - b);
  expect(answers).toEqual([0, ...numbers.map((_, index) => index + 1)]);
});

const textIn = (parts: unknown, text: string) => JSON.stringify(parts).includes(text);

test("promise 08: message to a finishing lead is read in that run or wakes it", async () => {
  const heard: string[] = [];
  const all = gate();
  const team = await alpha({
    answer: ({ said }) => {
      heard.push(...(said.match(/\[word \d+\]/g) ?? []));
      const next = heard.length + 1;
      if (next > rounds) all.open();
      else setTimeout(() => void mail.send({ from: "user", to: "team-lead", text: `[word ${next}]` }), (next % 40) / 8);
      return { text: `answer ${next - 1}` };
    },
  });
  const mail = await mailOf(team.tree);
  await team.ask("go");
  await all.opened;
  expect(heard).toEqual(numbers);
});
