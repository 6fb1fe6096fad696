import { expect, test } from "vitest";
import { lostTranscriptNotice, ownLostTranscriptNotice } from "../../../../src/agent/index.ts";

test("texts about and to a member whose transcript is lost", () => {
  expect(lostTranscriptNotice({ name: "scout", sessionId: "ses_1" })).toMatchInlineSnapshot(
    `"scout is back without its memory: the transcript of its session ses_1 no longer exists. It does not know its instructions or what it has done. Send it again what it needs."`,
  );
  expect(ownLostTranscriptNotice).toMatchInlineSnapshot(
    `"You were in this team before, but the transcript no longer exists: you no longer know your instructions or what you have done. Your lead knows this, and sends you what you need by mail."`,
  );
});
