import { systemClock, withTimeLimit } from "../../platform/index.ts";
import { type Member, type RequestId, teamLead } from "../../protocol/index.ts";
import type { StoredTeam } from "../../store/index.ts";
import type { openMailbox } from "../../team/index.ts";

type Answer =
  | { readonly kind: "ended"; readonly member: Member }
  | { readonly kind: "rejected"; readonly reason: string }
  | { readonly kind: "late" };

export interface ShutdownRequest {
  readonly record: StoredTeam["record"];
  readonly mailbox: ReturnType<typeof openMailbox>;
  readonly requestId: RequestId;
  readonly withinMs: number;
}

/** Waits for the result of a shutdown request: the recorded end of the member, or its refusal in the lead's inbox. */
export async function awaitAnswerOrEnd(memberName: string, asked: ShutdownRequest): Promise<Answer> {
  const done = new AbortController();
  return withTimeLimit(systemClock, asked.withinMs, async (late) => {
    const signal = AbortSignal.any([done.signal, late]);
    const ended = async (): Promise<Answer> => {
      const member = await awaitEnd(memberName, asked.record, signal);
      return member ? { kind: "ended", member } : { kind: "late" };
    };
    try {
      return await Promise.race([ended(), awaitRefusal(memberName, asked, signal)]);
    } finally {
      done.abort();
    }
  });
}

/** Never resolves if the member does not refuse. */
async function awaitRefusal(
  memberName: string,
  { mailbox, requestId }: ShutdownRequest,
  signal: AbortSignal,
): Promise<Answer> {
  for await (const { from, body, refused } of mailbox.watch(teamLead, signal)) {
    if (from !== memberName || refused !== undefined || body.kind !== "shutdown_rejected") continue;
    if (body.requestId === requestId) return { kind: "rejected", reason: body.reason };
  }
  return new Promise<never>(() => undefined);
}

/** Returns undefined if the member did not end in time. */
export async function awaitEnd(
  memberName: string,
  record: StoredTeam["record"],
  signal: AbortSignal,
): Promise<Member | undefined> {
  const ended = () => record.current().members.find((member) => member.name === memberName && member.ended);
  const now = ended();
  if (now) return now;
  for await (const { members } of record.follow(signal)) {
    const found = members.find((member) => member.name === memberName && member.ended);
    if (found) return found;
  }
  return ended();
}
