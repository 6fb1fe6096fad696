import { effectiveMode } from "../../agent/definitions/index.ts";
import { isExternal, type Member, type PermissionMode } from "../../protocol/index.ts";
import type { StoredTeam } from "../../store/index.ts";
import type { MailSender } from "../mailbox/mail-sender.ts";

/** Keeps every member's permission mode at or below the lead's. */
export interface PermissionCeiling {
  /** Limits a member to the lead's mode. `isRunning`: it is already running. */
  limitMember(member: Member, wanted: { readonly most: PermissionMode; readonly isRunning: boolean }): Promise<Member>;
  /**
   * Limits a new member: the lead's mode may have been lowered since the request, because making a worktree takes time.
   */
  limitNewMember(member: Member, most: PermissionMode): Promise<Member>;
  /** The lead changed its mode. Earlier changes are applied first. */
  onLeadMode(mode: PermissionMode): Promise<void>;
}

export interface PermissionCeilingPorts {
  readonly record: Pick<StoredTeam["record"], "change">;
  readonly sender: MailSender;
  readonly others: () => readonly Member[];
  /** Handles a mail to this member that could not be sent. */
  readonly warnNotDelivered: (name: string) => (error: unknown) => Promise<unknown>;
}

export function createPermissionCeiling({
  record,
  sender,
  others,
  warnNotDelivered,
}: PermissionCeilingPorts): PermissionCeiling {
  /** The lead's last mode other than plan mode. It may have been any before the first change. */
  let before: PermissionMode = "bypassPermissions";
  let last: Promise<void> = Promise.resolve();

  const limitMember: PermissionCeiling["limitMember"] = async (member, { most, isRunning }) => {
    const { mode } = effectiveMode({ parent: most, definition: member.mode });
    if (member.mode === undefined || mode === "bubble" || most === "bubble") return member;
    // An approved plan may raise a member's mode above the recorded one.
    const mayHaveMore = most !== "bypassPermissions" && (isRunning || mode === "plan");
    if (mode === member.mode && !mayHaveMore) return member;
    await sender.send({ to: member.name, body: { kind: "mode_set_request", mode: most, atMost: true } });
    // Record it only after the mail: a recorded mode is not sent again.
    return mode === member.mode ? member : record.change(member.name, { mode });
  };

  const lowerAll = async (most: PermissionMode) => {
    const failures: unknown[] = [];
    // If one member cannot be notified, the others are still lowered.
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
      // A lead in plan mode does not restrict members that already have their work.
      if (mode === "plan") return last;
      const isLower = effectiveMode({ parent: mode, definition: before }).mode !== before;
      before = mode;
      if (!isLower) return last;
      const done = last.then(() => lowerAll(mode));
      last = done.catch(() => undefined); // callers get the failure from `done`
      return done;
    },
  };
}
