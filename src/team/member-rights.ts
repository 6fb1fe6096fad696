import { effectiveMode } from "../agent/definitions/index.ts";
import { isExternal, type Member, type PermissionMode } from "../protocol/index.ts";
import type { StoredTeam } from "../store/index.ts";
import type { InboxConsumer } from "./member-link.ts";

/** A lead with fewer rights than before has nobody with more. */
export interface MemberRights {
  /** The member as it may go on under a lead that works in this mode; `isThere`: it has gone on already. */
  within(member: Member, wanted: { readonly most: PermissionMode; readonly isThere: boolean }): Promise<Member>;
  /** The lead's mode may have been lowered since it was wanted: a worktree takes its time. */
  begins(member: Member, most: PermissionMode): Promise<Member>;
  /** The lead works in another mode now. What it was in before comes to its end first. */
  leadIsIn(mode: PermissionMode): Promise<void>;
}

export interface MemberRightsPorts {
  readonly record: Pick<StoredTeam["record"], "change">;
  readonly link: () => InboxConsumer;
  readonly others: () => readonly Member[];
  /** Does what is to be done with a mail to this one that could not be sent. */
  readonly notTold: (name: string) => (error: unknown) => Promise<unknown>;
}

export function createMemberRights({ record, link, others, notTold }: MemberRightsPorts): MemberRights {
  /** What the lead was in last, plan mode aside; at first it may have been anything. */
  let before: PermissionMode = "bypassPermissions";
  let last: Promise<void> = Promise.resolve();

  const within: MemberRights["within"] = async (member, { most, isThere }) => {
    const { mode } = effectiveMode({ parent: most, definition: member.mode });
    if (member.mode === undefined || mode === "bubble" || most === "bubble") return member;
    // An approved plan may have led, or may lead, one to more than the record says.
    const mayHaveMore = most !== "bypassPermissions" && (isThere || mode === "plan");
    if (mode === member.mode && !mayHaveMore) return member;
    await link().send({ to: member.name, body: { kind: "mode_set_request", mode: most, atMost: true } });
    // Not before that: what is in the record is said to nobody once more.
    return mode === member.mode ? member : record.change(member.name, { mode });
  };

  const lower = async (most: PermissionMode) => {
    const failures: unknown[] = [];
    // One that cannot be told leaves nobody else with what it had.
    for (const member of others())
      if (!member.ended)
        await within(member, { most, isThere: !isExternal(member) })
          .catch(notTold(member.name))
          .catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  };

  return {
    within,
    begins: async (member, most) => (most === "plan" ? member : within(member, { most, isThere: false })),
    leadIsIn(mode) {
      // A lead that plans for a while takes nothing from those who have their work already.
      if (mode === "plan") return last;
      const isLower = effectiveMode({ parent: mode, definition: before }).mode !== before;
      before = mode;
      if (!isLower) return last;
      const done = last.then(() => lower(mode));
      last = done.catch(() => undefined); // whoever has `done` is told
      return done;
    },
  };
}
