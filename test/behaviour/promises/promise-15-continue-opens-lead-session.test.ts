import { expect, onTestFinished, test } from "vitest";
import type { CallId, RequestId } from "../../../src/protocol/index.ts";
import { createFileSessionStore } from "../../../src/store/index.ts";
import { openMailbox } from "../../../src/team/index.ts";
import { teamSession } from "../../support/team/team-session.ts";
import { alpha, filesOf, inState, leading, mate, membersOf, ports } from "../../support/team/scripted-team.ts";

test("promise 15: continue opens the lead's session, also when a teammate wrote last", async () => {
  const first = await alpha({ answer: leading([{ calls: [mate("scout")] }], () => ({ text: "done" })) });
  await first.ask("go");
  await inState(first, "scout", "idle");
  await first.close();
  // As after a kill in the middle of the teammate's work: the teammate wrote last.
  const scout = (await membersOf(first.tree))[0]?.sessionId ?? "";
  const opened = await createFileSessionStore({ home: first.tree.path("home/.troupe"), ...ports }).open(scout);
  await opened.leadLog.record({ type: "notice.raised", level: "info", code: "test", message: "still at work" });
  await opened.close();
  const again = await teamSession({
    tree: first.tree,
    stored: true,
    resume: "latest",
    answer: leading([], () => ({ text: "back" })),
  });
  expect(again.session.id).toBe(first.session.id);
  await inState(again, "scout", "idle");
});

test("promise 15: open request of an ended member does not stop the team from resuming", async () => {
  const settings = { teams: { nestedTeams: true } };
  const first = await alpha({ settings, answer: leading([{ calls: [mate("scout")] }], () => ({ text: "done" })) });
  await first.ask("go");
  await inState(first, "scout", "idle");
  await first.close();
  // As after a kill before the lead answered, followed by an end from the shell.
  const stored = await filesOf(first.tree);
  const mailbox = openMailbox(stored, ports);
  const request = {
    kind: "spawn_request" as const,
    requestId: ports.createId<RequestId>("ask"),
    callId: "call_scout@alpha_1_1" as CallId,
    name: "helper",
    description: "help",
    prompt: "help me",
    callerMode: "bypassPermissions" as const,
    planModeRequired: false,
  };
  onTestFinished(() => mailbox.close());
  await mailbox.send({ from: "scout", to: "team-lead", body: request });
  await stored.record.end("scout", { reason: "killed" });
  for (const words of ["still there?", "and now?"]) {
    const again = await teamSession({
      tree: first.tree,
      stored: true,
      resume: first.session.id,
      answer: () => ({ text: "I am here" }),
    });
    await again.until(
      (event) => event.type === "notice.raised" && event.message.startsWith("cannot send the answer to scout"),
    );
    expect((await again.ask(words)).text).toBe("I am here");
    await expect.poll(() => mailbox.readUnread("team-lead")).toEqual([]);
    await again.close();
  }
  expect((await membersOf(first.tree)).map(({ name }) => name)).toEqual(["scout"]);
});
