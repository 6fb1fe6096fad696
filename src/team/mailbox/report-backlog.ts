import type { Conversation } from "../../agent/index.ts";
import { archivedReportsNote } from "../../agent/index.ts";
import type { ContentPart, Envelope, Mail, PromptId } from "../../protocol/index.ts";

/**
 * The reports of teammates that wait until their lead works next. Of each teammate only the last few wait: a lead that is
 * not needed for days would otherwise hold all of them, and find no room for them in its context in the end.
 */
export interface ReportBacklog {
  /** What waits from an earlier life. */
  restore(replayed: readonly Pick<Envelope, "event">[]): void;
  /** If one of the same teammate has to make room: which, and what is to be said in front of the new one. */
  makeRoom(mail: Mail): Promise<{ readonly insteadOf: PromptId; readonly before: readonly ContentPart[] } | undefined>;
  added(mail: Mail, promptId: PromptId): void;
}

export interface ReportBacklogOptions {
  readonly conversation: () => Pick<Conversation, "waitingParts">;
  /** Puts a report of a member to those that were put away before; gives the file's path. */
  readonly archive: (member: string, text: string) => Promise<string>;
  readonly most?: number | undefined;
}

export function createReportBacklog({ conversation, archive, most = 8 }: ReportBacklogOptions): ReportBacklog {
  const promptsByMember = new Map<string, PromptId[]>();
  const waitingOf = (member: string) =>
    (promptsByMember.get(member) ?? []).filter((id) => conversation().waitingParts(id) !== undefined);
  const add = (member: string, id: PromptId) => void promptsByMember.set(member, [...waitingOf(member), id]);

  return {
    restore(replayed) {
      for (const { event } of replayed)
        if (event.type === "mail.received" && event.kind === "idle_notification" && event.promptId !== undefined)
          if (conversation().waitingParts(event.promptId) !== undefined) add(event.from, event.promptId);
    },
    async makeRoom(mail) {
      if (!isReport(mail)) return undefined;
      const waiting = waitingOf(mail.from);
      const [insteadOf] = waiting;
      if (insteadOf === undefined || waiting.length < most) return undefined;
      const text = textOf(conversation().waitingParts(insteadOf) ?? []);
      const path = await archive(mail.from, text);
      return { insteadOf, before: [{ type: "text", text: archivedReportsNote({ member: mail.from, path }) }] };
    },
    added(mail, promptId) {
      if (isReport(mail)) add(mail.from, promptId);
    },
  };
}

/** One that wakes the lead is heard at once. */
const isReport = ({ body, wakes }: Mail) => body.kind === "idle_notification" && !wakes;

/** The report itself is the last of its parts: what is in front of it is about those before. */
const textOf = (parts: readonly ContentPart[]) =>
  parts
    .slice(-1)
    .map((part) => (part.type === "text" ? part.text : ""))
    .join("\n");
