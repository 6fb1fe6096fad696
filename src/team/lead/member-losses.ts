import type { Agent } from "../../agent/index.ts";
import type { WorkItem } from "../../protocol/index.ts";
import type { StoredTeam } from "../../store/index.ts";
import type { MemberTable } from "./member-table.ts";
import type { TeammateLifecycle } from "./teammate-lifecycle.ts";

/** Handles members that are gone or silent: records their end, and lets others claim their tasks. */
export interface MemberLosses
  extends Pick<TeammateLifecycle, "markLost" | "disconnected" | "onSilent" | "releaseTasksOfEnded"> {
  releaseTasks(name: string, cause: string): Promise<readonly WorkItem[]>;
}

export interface MemberLossesPorts {
  readonly team: Pick<StoredTeam, "record" | "tasks">;
  readonly lead: Pick<Agent, "record">;
  /** Tells the user, and the lead at its next turn, which this causes. */
  readonly tell: (text: string) => Promise<void>;
  /** Drops the member's open requests. */
  readonly forget: (name: string) => void;
}

export function createMemberLosses(table: MemberTable, ports: MemberLossesPorts): MemberLosses {
  const { tasks, record } = ports.team;
  const releaseTasks = (name: string, cause: string) =>
    tasks.releaseGone(async (owner) => (owner.name === name ? cause : undefined));

  return {
    releaseTasks,
    async markLost({ name }, cause) {
      const isEnded = record.current().members.find((member) => member.name === name)?.ended !== undefined;
      if (table.isClosing || table.isInTransit(name) || table.running.has(name) || isEnded) return;
      await table.whileLeaving(name, async () => {
        // Release tasks before recording the end: ended members are not checked for tasks.
        table.released.set(name, await releaseTasks(name, cause));
        await record.end(name, { reason: "lost", detail: cause });
        ports.forget(name);
      });
    },
    async disconnected({ name }, { wasSeen }) {
      if (table.isClosing || table.leaving.has(name)) return;
      ports.forget(name);
      const released = await releaseTasks(name, "its program is gone");
      if (!wasSeen && released.length === 0) return;
      await ports.tell(
        `${name}, an external member, is gone.${releasedText(released)} It stays in the team and may come back by itself; its mail waits.`,
      );
    },
    async onSilent(name) {
      const cause = "its owner does not respond";
      const released = await tasks.releaseGone(async (owner) =>
        owner.name === name && owner.holder !== undefined ? cause : undefined,
      );
      if (released.length === 0) return;
      const message = `Your teammate ${name} does not respond.${releasedText(released)} If it comes back, it is notified that it no longer owns them.`;
      await ports.lead.record({ type: "notice.raised", level: "warning", code: "member", message });
    },
    async releaseTasksOfEnded() {
      const ended = new Set(record.current().members.flatMap((member) => (member.ended ? [member.name] : [])));
      const released = await tasks.releaseGone(async ({ name }) => (ended.has(name) ? endedReason : undefined));
      return released.length === 0
        ? []
        : [`Some tasks were still owned by members that have ended.${releasedText(released)}`];
    },
  };
}

const releasedText = (released: readonly WorkItem[]) =>
  released.length === 0 ? "" : ` Released to the task list: ${released.map(({ id }) => `#${id}`).join(", ")}.`;

export const endedReason = "its owner has ended";
