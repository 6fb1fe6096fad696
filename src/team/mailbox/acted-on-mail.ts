import type { Agent } from "../../agent/index.ts";
import { createIdFilter } from "../../platform/index.ts";
import type { Envelope, Event, MailId } from "../../protocol/index.ts";

/** The mail that a handler acted on. Unlimited in time: an inbox forgets old read mail, the agent's log does not. */
export function createActedOnMail(replayed: readonly Pick<Envelope, "event">[], agent: Pick<Agent, "hasRecorded">) {
  const ids = createIdFilter();
  for (const { event } of replayed)
    if (event.type === "mail.received" && recordsActionOn(event.mailId)(event)) ids.add(event.mailId);
  return {
    add: (id: MailId) => ids.add(id),
    async has(id: MailId): Promise<boolean> {
      const known = ids.has(id);
      return known === "maybe" ? agent.hasRecorded(id, recordsActionOn(id)) : known === "yes";
    },
  };
}

/** Mail that the model also sees is recorded before it is acted on, and is recognized by its prompt. */
const recordsActionOn = (id: MailId) => (event: Event) =>
  event.type === "mail.received" && event.promptId === undefined && event.mailId === id;
