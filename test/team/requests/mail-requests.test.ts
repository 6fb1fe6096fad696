import { expect, test } from "vitest";
import { systemClock } from "../../../src/platform/index.ts";
import type { RequestId } from "../../../src/protocol/index.ts";
import { createMailRequests, type MailRequests } from "../../../src/team/requests/mail-requests.ts";
import { heldBytes } from "../../support/processes/held-bytes.ts";

const create = (): MailRequests<object> =>
  createMailRequests<object>({
    sender: { send: async () => "mail_00000001" as never },
    clock: systemClock,
    createId: () => "ask_00000001" as never,
  });

async function answerOf(requests: MailRequests<object>): Promise<WeakRef<object>> {
  const requestId = "ask_00000001" as RequestId;
  const outcome = requests.expect(requestId, { to: "alice" });
  requests.settle(requestId, { text: "yes" });
  const found = await outcome;
  if (found.kind !== "answer") throw new Error(`no answer: ${found.kind}`);
  return new WeakRef(found.answer);
}

test("a request without a time limit leaves nothing in memory after its answer", async () => {
  const answer = await answerOf(create());
  await new Promise((resolve) => setImmediate(resolve));
  heldBytes();
  expect(answer.deref()).toBeUndefined();
});
