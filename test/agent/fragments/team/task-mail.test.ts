import { describe, expect, test } from "vitest";
import { memberMail, taskMails } from "../../../../src/agent/index.ts";
import type { MailBody } from "../../../../src/protocol/index.ts";
import { bodyMail } from "../../../support/mail/sample-mail.ts";
import { sampleTask as task } from "../../../support/team/sample-task.ts";

const shown = (body: MailBody) => memberMail(bodyMail(body, { from: "team-lead" }));
const idle = (more: Partial<Extract<MailBody, { kind: "idle_notification" }>>) =>
  shown({ kind: "idle_notification", idleReason: "available", ...more });
const members = new Set(["team-lead", "alice", "bob"]);
const isMember = (name: string) => members.has(name);
const bodyOf = (mails: ReturnType<typeof taskMails>, to: string): MailBody => {
  const mail = mails.find((each) => each.to === to);
  if (!mail) throw new Error(`no mail to ${to}`);
  return mail.body;
};

describe("an assignment as its owner reads it", () => {
  test("with the history of the task", () => {
    const past = [
      { owner: "alice", until: "2026-11-16T08:00:00.000Z", said: { text: "Half done.", branch: "troupe/a" } },
    ];
    const item = task(2, { owner: "bob", description: "Dig deep.", past });
    const previous = { owner: "alice", status: "in_progress" } as const;
    const mails = taskMails({ item, previous, by: "team-lead", all: [item], isMember });
    expect(shown(bodyOf(mails, "bob"))).toMatchInlineSnapshot(`
      "<teammate-message teammate_id="team-lead">
      Task #2 is yours now, assigned by team-lead: task 2

      Dig deep.

      alice had this task before and last said: Half done.
      The work of alice is on the branch troupe/a: git diff HEAD...troupe/a shows it, and git merge troupe/a brings it to your own worktree.

      Set it to in_progress with TaskUpdate when you begin, and to completed when it is done.
      </teammate-message>"
    `);
    expect(shown(bodyOf(mails, "alice"))).toMatchInlineSnapshot(`
      "<teammate-message teammate_id="team-lead">
      #2 is no longer yours: team-lead gave it to bob. Stop working on it. Keep what you changed: commit it if you may, and tell bob where it is.
      </teammate-message>"
    `);
  });

  test("with several earlier owners", () => {
    const until = "2026-11-16T08:00:00.000Z";
    const past = ["Checker", "Dev", "alice"].map((owner) => ({ owner, until }));
    const item = task(2, { owner: "bob", past });
    const mails = taskMails({ item, by: "team-lead", all: [item], isMember });
    expect(shown(bodyOf(mails, "bob"))).toContain("alice had this task before.\nBefore that, Checker and Dev had it.");
  });

  test("to the member that had it before", () => {
    const said = { text: "half done", branch: "troupe/bob-1", at: "2026-11-16T08:00:00.000Z" };
    const item = task(2, { owner: "bob", past: [{ owner: "bob", until: "2026-11-16T08:00:00.000Z", said }] });
    const mail = shown(bodyOf(taskMails({ item, by: "team-lead", all: [item], isMember }), "bob"));
    expect(mail).toContain("You had this task before.");
    expect(mail).not.toMatch(/troupe\/bob-1|half done/);
  });

  test("while the task is blocked", () => {
    const item = task(2, { owner: "bob", description: "Dig deep.", blockedBy: [1] });
    const mails = taskMails({ item, by: "team-lead", all: [task(1), item], isMember });
    expect(mails).toMatchObject([{ to: "bob", wakes: false }]);
    expect(shown(bodyOf(mails, "bob"))).toMatchInlineSnapshot(`
      "<teammate-message teammate_id="team-lead">
      Task #2 is yours now, assigned by team-lead: task 2

      Dig deep.

      When it was assigned, #1 blocked it. You get a message when it is free, and begin then.
      </teammate-message>"
    `);
  });
});

test("neither the author, the user nor a member that is not there gets mail", () => {
  const previous = { owner: "user", status: "in_progress" } as const;
  const given = (owner: string) => ({ item: task(1, { owner }), previous, by: "team-lead", all: [], isMember });
  expect(taskMails(given("team-lead"))).toEqual([]);
  expect(taskMails(given("carol"))).toEqual([]);
  expect(taskMails({ ...given("bob"), by: "bob" }).map(({ to }) => to)).toEqual(["team-lead"]);
});

test("the owner of a task that is reopened gets mail and is woken", () => {
  const item = task(1, { owner: "alice", subject: "fix the parser" });
  const previous = { owner: "alice", status: "completed" } as const;
  const mails = taskMails({ item, previous, by: "team-lead", all: [item], isMember });
  expect(mails).toMatchObject([{ to: "alice", wakes: true }]);
  expect(shown(bodyOf(mails, "alice"))).toMatchInlineSnapshot(`
    "<teammate-message teammate_id="team-lead">
    #1 is reopened by team-lead: fix the parser
    It is yours again. TaskGet shows it. Set it to in_progress, do what is missing, and set it to completed again.
    </teammate-message>"
  `);
});

test("a report of an idle member names the task that it still has in progress", () => {
  const line = "Task #3: still in progress, not completed.";
  expect(idle({ openTaskId: 3, result: "Half done." })).toContain(`is idle.\n${line}\nIts last answer:\n`);
  expect(idle({ openTaskId: 3, result: "I am waiting for bob.", didNothing: true })).toContain(
    `team-lead is idle: I am waiting for bob.\n${line}\n`,
  );
});

test.each([
  [{ completedChecks: "passed" }, "Task #1: completed, checks passed."],
  [{ completedChecks: "not_run" }, "Task #1: completed, not verified."],
  [{ completedChecks: "none" }, "Task #1: completed."],
  // Written by an earlier version.
  [{}, "Task #1: completed."],
  [{ completedStatus: "blocked" }, "Task #1: blocked."],
] as const)("a report with %j says %s", (facts, line) => {
  expect(idle({ completedTaskId: 1, completedStatus: "resolved", ...facts })).toContain(`\n${line}\n`);
});
