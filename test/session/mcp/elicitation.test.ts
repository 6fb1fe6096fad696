import { expect, test } from "vitest";
import { createIdFactory, systemClock } from "../../../src/platform/index.ts";
import type { StoredEvent } from "../../../src/protocol/index.ts";
import { elicit } from "../../../src/session/mcp/elicitation.ts";
import { createPermissionBroker } from "../../../src/session/permissions/permission-broker.ts";

test("a server's question can be answered from within the event that publishes it", async () => {
  const broker = createPermissionBroker();
  const events: StoredEvent[] = [];
  const answer = await elicit(
    {
      ask: broker.ask,
      createId: createIdFactory(systemClock),
      record: async (event) => {
        events.push(event);
        if (event.type !== "permission.asked") return;
        const reply = { behavior: "allow", scope: "once", input: { name: "Ann" } } as const;
        expect(broker.reply(event.requestId, reply)).toEqual({ ok: true });
      },
    },
    { server: "desk", request: { message: "Who is it?" }, signal: new AbortController().signal },
  );
  expect(answer).toEqual({ action: "accept", content: { name: "Ann" } });
  expect(events.map(({ type }) => type)).toEqual(["permission.asked", "permission.settled"]);
});
