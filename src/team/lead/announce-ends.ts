import { createHash } from "node:crypto";
import { type Agent, type Conversation, type LeftWorktree, memberEnded, memberEndedText } from "../../agent/index.ts";
import { type Envelope, isExternal, type Member, messageOf, type PromptId } from "../../protocol/index.ts";
import type { LeadAttention } from "./lead-attention.ts";
import { suspendMs, type TeammateLifecycle } from "./teammate-lifecycle.ts";

/** Tells the lead about every end of a teammate: once, in one message, with what the teammate leaves behind. */
export interface EndAnnouncements {
  /** Receives every member that has ended. */
  onEnded(member: Member): void;
  /** The lead gets the next end of this member in another way. */
  isToldOtherwise(name: string): void;
}

export interface EndAnnouncementsPorts {
  readonly team: string;
  readonly lead: Pick<Agent, "admitOnce" | "record">;
  readonly conversation: Pick<Conversation, "waiting">;
  readonly lifecycle: Pick<TeammateLifecycle, "endsWithin" | "takeReleased">;
  readonly attention: Pick<LeadAttention, "during" | "notify">;
  /** The work left in the member's worktree. Undefined if there is none. */
  readonly leftWorktree: (member: Member) => Promise<LeftWorktree | undefined>;
  /** Members whose end the lead knows from before this run. */
  readonly known: readonly Member[];
  readonly onFailure: (error: unknown) => void;
}

export function createEndAnnouncements(ports: EndAnnouncementsPorts): EndAnnouncements {
  const told = new Set(ports.known.map(promptIdOfEnd));
  const toldOtherwise = new Set<string>();

  const announce = async (member: Member, { reason, detail }: NonNullable<Member["ended"]>, promptId: PromptId) => {
    const { name } = member;
    // Its program may still be busy with its worktree.
    await ports.lifecycle.endsWithin(name, suspendMs);
    const facts = {
      name,
      team: ports.team,
      reason,
      detail,
      isExternal: isExternal(member),
      releasedTasks: ports.lifecycle.takeReleased(name).map(({ id }) => id),
      worktree: await leftWorktree(member),
    };
    if (reason === "lost" || reason === "failed")
      await ports.lead.record({
        type: "notice.raised",
        level: "warning",
        code: "member",
        message: memberEndedText(facts),
      });
    const parts = [{ type: "text" as const, text: memberEnded(facts) }];
    await ports.lead.admitOnce({ promptId, source: "agent", parts, quiet: true });
    if (ports.conversation.waiting.includes(promptId))
      ports.attention.notify({ type: "ended", promptId, isUrgent: reason === "lost" || reason === "failed" });
  };

  /** The end counts even if the worktree cannot be inspected. */
  const leftWorktree = async (member: Member) => {
    try {
      return await ports.leftWorktree(member);
    } catch (error) {
      const message = `cannot inspect the worktree of ${member.name}: ${messageOf(error)}`;
      await ports.lead.record({ type: "notice.raised", level: "warning", code: "worktree", message });
      return undefined;
    }
  };

  return {
    onEnded(member) {
      const promptId = promptIdOfEnd(member);
      if (!member.ended || told.has(promptId)) return;
      told.add(promptId);
      if (toldOtherwise.delete(member.name)) return;
      // Until then no notice calls the lead's next answer the last one.
      ports.attention.notify({ type: "end_seen", promptId });
      const announced = announce(member, member.ended, promptId).finally(() =>
        ports.attention.notify({ type: "end_told", promptId }),
      );
      ports.attention.during(announced).catch(ports.onFailure);
    },
    isToldOtherwise: (name) => void toldOtherwise.add(name),
  };
}

/** Derived from the member and the time of its end, so that each end is announced once, also across restarts. */
const promptIdOfEnd = ({ agentId, joinedAt, ended }: Member): PromptId => {
  const digest = createHash("sha256")
    .update(JSON.stringify([agentId, joinedAt, ended?.at]))
    .digest("hex");
  return `prm_e${digest.slice(0, 25)}` as PromptId;
};

/**
 * Members whose end the lead knows from previous runs. Ends of the last run may have been missed. An end before its
 * member joined shows that the time of day was set back: it says nothing about the run.
 */
export function endsKnownBefore(members: readonly Member[], replayed: readonly Partial<Envelope>[]): readonly Member[] {
  const lastRun = replayed.findLast(({ event }) => event?.type === "session.opened")?.at;
  return members.filter(
    ({ ended, joinedAt }) =>
      ended !== undefined && (lastRun === undefined || (joinedAt <= ended.at && ended.at < lastRun)),
  );
}
