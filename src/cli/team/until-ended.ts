import { type Member, type RequestId, teamLead } from "../../protocol/index.ts";
import type { StoredTeam } from "../../store/index.ts";
import type { openMailbox } from "../../team/index.ts";

type Answer =
  | { readonly kind: "ended"; readonly member: Member }
  | { readonly kind: "rejected"; readonly reason: string }
  | { readonly kind: "late" };

export interface AwaitedAnswer {
  readonly record: StoredTeam["record"];
  readonly mailbox: ReturnType<typeof openMailbox>;
  readonly requestId: RequestId;
  readonly withinMs: number;
}

/** What comes of asking a member to end: it is in the record that it has, or its refusal in its lead's inbox. */
export async function answerOrEnd(who: string, asked: AwaitedAnswer): Promise<Answer> {
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, AbortSignal.timeout(asked.withinMs)]);
  const ended = async (): Promise<Answer> => {
    const member = await untilEnded(who, asked.record, signal);
    return member ? { kind: "ended", member } : { kind: "late" };
  };
  try {
    return await Promise.race([ended(), refusal(who, asked, signal)]);
  } finally {
    over.abort();
  }
}

/** Never resolves if there is none. */
async function refusal(who: string, { mailbox, requestId }: AwaitedAnswer, signal: AbortSignal): Promise<Answer> {
  for await (const { from, body, refused } of mailbox.watch(teamLead, signal)) {
    if (from !== who || refused !== undefined || body.kind !== "shutdown_rejected") continue;
    if (body.requestId === requestId) return { kind: "rejected", reason: body.reason };
  }
  return new Promise<never>(() => undefined);
}

/** Undefined if it had not ended when the time was over. */
export async function untilEnded(
  who: string,
  record: StoredTeam["record"],
  signal: AbortSignal,
): Promise<Member | undefined> {
  const ended = () => record.current().members.find((member) => member.name === who && member.ended);
  const now = ended();
  if (now) return now;
  for await (const { members } of record.follow(signal)) {
    const found = members.find((member) => member.name === who && member.ended);
    if (found) return found;
  }
  return ended();
}
