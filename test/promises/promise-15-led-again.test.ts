import { expect, test } from "vitest";
import { createFileSessionStore } from "../../src/store/index.ts";
import { teamSession } from "../team/team-session.ts";
import { alpha, inState, leading, mate, membersOf, ports } from "./teammates.ts";

test("promise 15: who goes on where it left off goes on with the lead's session, whoever wrote last", async () => {
  const first = await alpha({ answer: leading([{ calls: [mate("scout")] }], () => ({ text: "done" })) });
  await first.ask("go");
  await inState(first, "scout", "idle");
  await first.close();
  // As after a kill in the middle of the teammate's work: the last word is the teammate's.
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
