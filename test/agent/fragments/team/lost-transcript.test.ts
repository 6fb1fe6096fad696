import { expect, test } from "vitest";
import { lostTranscriptNotice, ownLostTranscriptNotice } from "../../../../src/agent/index.ts";

test("texts about and to a member whose transcript is lost", () => {
  expect(lostTranscriptNotice({ name: "scout", sessionId: "ses_1" })).toMatchInlineSnapshot(
    `"scout is back without what it knew: the transcript of its session ses_1 is not there any more. It knows neither what it was told nor what it has done: tell it again what it needs."`,
  );
  expect(ownLostTranscriptNotice).toMatchInlineSnapshot(
    `"You were in this team before, and the transcript of that is not there any more: what you were told and what you have done is lost to you. Your lead knows. TaskList shows the tasks."`,
  );
});
