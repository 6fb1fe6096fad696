import type { Clock, CreateId } from "../../platform/index.ts";
import type { StoredTeam } from "../../store/index.ts";
import { createMailbox, type Mailbox } from "./index.ts";

/** The mailbox of a stored team. Its record provides the members and their keys. */
export function openMailbox(
  stored: StoredTeam,
  ports: { readonly clock: Clock; readonly createId: CreateId },
): Mailbox {
  const { name, record } = stored;
  return createMailbox({
    ...ports,
    team: name,
    store: stored,
    members: () => record.current().members,
    keyOf: record.keyOf,
  });
}
