import { effectiveMode } from "../../agent/definitions/index.ts";
import { isExternal, type Member, type PermissionMode } from "../../protocol/index.ts";
import type { StoredTeam } from "../../store/index.ts";
import type { InboxConsumer } from "../mailbox/inbox-consumer.ts";

/** A lead with fewer rights than before has nobody with more. */
export interface PermissionCeiling {
  /** The member as it may go on under a lead that works in this mode; `isThere`: it has gone on already. */
  limitMember(member: Member, wanted: { readonly most: PermissionMode; readonly isRunning: boolean }): Promise<Member>;
  /** The lead's mode may have been lowered since it was wanted: a worktree takes its time. */
  limitNewMember(member: Member, most: PermissionMode): Promise<Member>;
  /** The lead works in another mode now. What it was in before comes to its end first. */
  onLeadMode(mode: PermissionMode): Promise<void>;
}

export interface PermissionCeilingPorts {
  readonly record: Pick<StoredTeam["record"], "change">;
  readonly link: () => InboxConsumer;
  readonly others: () => readonly Member[];
  /** Does what is to be done with a mail to this one that could not be sent. */
  readonly warnNotDelivered: (name: string) => (error: unknown) => Promise<unknown>;
}

export function createPermissionCeiling({
  record,
  link,
  others,
  warnNotDelivered,
}: PermissionCeilingPorts): PermissionCeiling {
  /** What the lead was in last, plan mode aside; at first it may have been anything. */
  let before: PermissionMode = "bypassPermissions";
  let last: Promise<void> = Promise.resolve();

  const limitMember: PermissionCeiling["limitMember"] = async (member, { most, isRunning }) => {
    const { mode } = effectiveMode({ parent: most, definition: member.mode });
    if (member.mode === undefined || mode === "bubble" || most === "bubble") return member;
    // An approved plan may have led, or may lead, one to more than the record says.
    const mayHaveMore = most !== "bypassPermissions" && (isRunning || mode === "plan");
    if (mode === member.mode && !mayHaveMore) return member;
    await link().send({ to: member.name, body: { kind: "mode_set_request", mode: most, atMost: true } });
    // Not before that: what is in the record is said to nobody once more.
    return mode === member.mode ? member : record.change(member.name, { mode });
  };

  const lowerAll = async (most: PermissionMode) => {
    const failures: unknown[] = [];
    // One that cannot be told leaves nobody else with what it had.
    for (const member of others())
      if (!member.ended)
        await limitMember(member, { most, isRunning: !isExternal(member) })
          .catch(warnNotDelivered(member.name))
          .catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  };

  return {
    limitMember,
    limitNewMember: async (member, most) =>
      most === "plan" ? member : limitMember(member, { most, isRunning: false }),
    onLeadMode(mode) {
      // A lead that plans for a while takes nothing from those who have their work already.
      if (mode === "plan") return last;
      const isLower = effectiveMode({ parent: mode, definition: before }).mode !== before;
      before = mode;
      if (!isLower) return last;
      const done = last.then(() => lowerAll(mode));
      last = done.catch(() => undefined); // whoever has `done` is told
      return done;
    },
  };
}
