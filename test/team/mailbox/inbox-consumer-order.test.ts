import { expect, test } from "vitest";
import { createIdFactory, systemClock } from "../../../src/platform/index.ts";
import type { PromptId, RequestId } from "../../../src/protocol/index.ts";
import { createInboxConsumer } from "../../../src/team/mailbox/inbox-consumer.ts";
import { openMailbox } from "../../../src/team/mailbox/open-mailbox.ts";
import { mailOf } from "../../support/mail/session-mailbox.ts";
import { alpha, filesOf, leading, mate } from "../../support/team/scripted-team.ts";
import { heldBackend, ledTeam } from "../../support/team/led-team.ts";
import { gate } from "../../support/team/team-session.ts";

const ports = { clock: systemClock, createId: createIdFactory(systemClock) };

test("a member reads a shutdown request first, then the lead's mail, then other mail", async () => {
  const { stored } = await ledTeam({ backend: heldBackend({}) });
  for (const name of ["worker", "peer"]) await stored.record.join({ name, cwd: "/", backendType: "remote" });
  const mailbox = openMailbox(stored, ports);
  const to = { to: "worker" } as const;
  await mailbox.send({ ...to, from: "peer", text: "peer 1" });
  await mailbox.send({ ...to, from: "peer", text: "peer 2" });
  await mailbox.send({ ...to, from: "team-lead", text: "lead 1" });
  await mailbox.send({ ...to, from: "team-lead", text: "lead 2" });
  const requestId = ports.createId<RequestId>("ask");
  await mailbox.send({ ...to, from: "team-lead", body: { kind: "shutdown_request", requestId } });

  const taken: string[] = [];
  const waiting: PromptId[] = [];
  const all = gate();
  const admitOnce = async ({ promptId, parts }: { promptId: PromptId; parts: readonly { text: string }[] }) => {
    waiting.push(promptId);
    taken.push(/peer \d|lead \d|asks you to end/.exec(parts[0]?.text ?? "")?.[0] ?? "(something else)");
    if (taken.length === 5) all.open();
  };
  const link = createInboxConsumer({
    sender: { team: "alpha", name: "worker", send: async () => expect.unreachable() },
    mailbox,
    agent: {
      admitOnce,
      hasPrompt: async () => false,
      record: async () => undefined,
      saved: async () => undefined,
      wake: () => undefined,
    } as never,
    conversation: { waiting, waitingParts: () => undefined },
    handlers: { shutdown_request: (_mail, _body, admit) => ({ later: admit() }) },
    replayed: [],
    onFailure: (error) => expect.unreachable(String(error)),
    ...ports,
  });
  link.start();
  await all.opened;
  expect(taken).toEqual(["asks you to end", "lead 1", "lead 2", "peer 1", "peer 2"]);
  await link.close();
  await mailbox.close();
});

test("mail to a member comes before a task that it could claim", async () => {
  const heard: string[] = [];
  const all = gate();
  const team = await alpha({
    answer: leading([{ calls: [mate("scout")] }, { text: "waiting" }], async ({ said }) => {
      heard.push(/and then this|fix the fence/.exec(said)?.[0] ?? "(its prompt)");
      if (heard.length === 1) {
        await (await filesOf(team.tree)).tasks.create({ subject: "fix the fence", description: "" }, { name: "user" });
        await (await mailOf(team.tree)).send({ from: "user", to: "scout", text: "and then this" });
      }
      if (heard.length === 3) all.open();
      return { text: "done" };
    }),
  });
  await team.ask("go");
  await all.opened;
  expect(heard).toEqual(["(its prompt)", "and then this", "fix the fence"]);
});
