import { type Agent, lostTranscriptNotice, ownLostTranscriptNotice } from "../../agent/index.ts";
import { type SessionId, teamLead, teamUser } from "../../protocol/index.ts";
import type { StoredTeam } from "../../store/index.ts";
import type { Mailbox } from "../../team/index.ts";

/** Whether a member has lived before, by what it has said of itself: one that was only started may have left nothing. */
export const wasStartedBefore = (before: Awaited<ReturnType<StoredTeam["presence"]["look"]>>): boolean =>
  // Of whom other programs run no process is known.
  before !== undefined && before.pid > 0 && before.state !== "starting";

/** Tells a member that has lived before and knows nothing of that, its lead, and whoever looks on. */
export async function reportMissingTranscript(
  member: { readonly name: string; readonly sessionId: SessionId },
  { mailbox, agent }: { readonly mailbox: Mailbox; readonly agent: Agent },
): Promise<void> {
  const { name } = member;
  const text = lostTranscriptNotice(member);
  await agent.record({ type: "notice.raised", level: "warning", code: "member", message: text });
  await mailbox.send({ from: name, to: teamLead, text, wakes: false });
  await mailbox.send({ from: teamUser, to: name, text: ownLostTranscriptNotice, wakes: false });
}
