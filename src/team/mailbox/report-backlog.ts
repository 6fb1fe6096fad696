import type { Conversation } from "../../agent/index.ts";
import { archivedReportsNote, isOnlyWaiting } from "../../agent/index.ts";
import type { ContentPart, Envelope, Mail, PromptId } from "../../protocol/index.ts";

/**
 * The reports of teammates that wait for the lead's next turn. Only the last few of each teammate wait. Otherwise a
 * lead that is idle for days could not fit them into its context.
 */
export interface ReportBacklog {
  /** Restores the waiting reports of a previous run. */
  restore(replayed: readonly Pick<Envelope, "event">[]): void;
  /** If an older report of the same teammate must be replaced: which one, and the note to put before the new one. */
  makeRoom(mail: Mail): Promise<{ readonly insteadOf: PromptId; readonly before: readonly ContentPart[] } | undefined>;
  added(mail: Mail, promptId: PromptId): void;
}

export interface ReportBacklogOptions {
  readonly conversation: Pick<Conversation, "waitingParts">;
  /** Adds a report to the member's archive. Returns the path of the file. */
  readonly archive: (member: string, text: string) => Promise<string>;
  readonly most?: number | undefined;
}

export function createReportBacklog({ conversation, archive, most = 8 }: ReportBacklogOptions): ReportBacklog {
  const promptsByMember = new Map<string, PromptId[]>();
  /** Reports that only say that their member waits. */
  const saysItWaits = new Set<PromptId>();
  const waitingOf = (member: string) =>
    (promptsByMember.get(member) ?? []).filter((id) => conversation.waitingParts(id) !== undefined);
  const add = (member: string, id: PromptId) => void promptsByMember.set(member, [...waitingOf(member), id]);

  return {
    restore(replayed) {
      for (const { event } of replayed)
        if (event.type === "mail.received" && event.kind === "idle_notification" && event.promptId !== undefined)
          if (conversation.waitingParts(event.promptId) !== undefined) add(event.from, event.promptId);
    },
    async makeRoom(mail) {
      if (!isReport(mail)) return undefined;
      const waiting = waitingOf(mail.from);
      const last = waiting.at(-1);
      // A member that still only waits has nothing to add.
      if (last !== undefined && saysItWaits.has(last) && isWaitReport(mail)) return { insteadOf: last, before: [] };
      const [insteadOf] = waiting;
      if (insteadOf === undefined || waiting.length < most) return undefined;
      const text = textOf(conversation.waitingParts(insteadOf) ?? []);
      const path = await archive(mail.from, text);
      return { insteadOf, before: [{ type: "text", text: archivedReportsNote({ member: mail.from, path }) }] };
    },
    added(mail, promptId) {
      if (!isReport(mail)) return;
      add(mail.from, promptId);
      if (isWaitReport(mail)) saysItWaits.add(promptId);
    },
  };
}

/** A report that wakes the lead does not wait. */
const isReport = ({ body, wakes }: Mail) => body.kind === "idle_notification" && !wakes;

const isWaitReport = ({ body }: Mail) => body.kind === "idle_notification" && isOnlyWaiting(body);

/** The report is the last part; parts before it are notes about earlier reports. */
const textOf = (parts: readonly ContentPart[]) =>
  parts
    .slice(-1)
    .map((part) => (part.type === "text" ? part.text : ""))
    .join("\n");
