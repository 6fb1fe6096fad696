import { type Agent, lostTranscriptNotice, ownLostTranscriptNotice, troupeNotice } from "../../agent/index.ts";
import type { CreateId } from "../../platform/index.ts";
import { type PromptId, type SessionId, teamLead } from "../../protocol/index.ts";
import type { StoredTeam } from "../../store/index.ts";
import type { Mailbox } from "../../team/index.ts";

/**
 * Returns true if the teammate ran before, judged by its presence. A teammate that only reached `starting` may have no
 * log.
 */
export const wasStartedBefore = (before: Awaited<ReturnType<StoredTeam["presence"]["look"]>>): boolean =>
  // External members have no known process.
  before !== undefined && before.pid > 0 && before.state !== "starting";

/** Reports to the teammate, its lead and the viewers that the log of its previous run is missing. */
export async function reportMissingTranscript(
  member: { readonly name: string; readonly sessionId: SessionId },
  { mailbox, agent, createId }: { readonly mailbox: Mailbox; readonly agent: Agent; readonly createId: CreateId },
): Promise<void> {
  const { name } = member;
  const text = lostTranscriptNotice(member);
  await agent.record({ type: "notice.raised", level: "warning", code: "member", message: text });
  await mailbox.send({ from: name, to: teamLead, text, wakes: false });
  const parts = [{ type: "text" as const, text: troupeNotice(ownLostTranscriptNotice) }];
  await agent.admitOnce({ promptId: createId<PromptId>("prm"), source: "hook", parts, quiet: true });
}
