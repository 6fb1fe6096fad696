import type { Clock, CreateId } from "../../platform/index.ts";
import { type RequestId, TroupeError } from "../../protocol/index.ts";
import type { MailHandlers } from "../mailbox/inbox-consumer.ts";
import type { MailSender } from "../mailbox/mail-sender.ts";
import { createMailRequests, type RequestOutcome } from "../requests/mail-requests.ts";

/** Ends members in steps: ask, wait, end. No step depends on a model. */
export interface StopRequests {
  /** Sends a shutdown request unless one is open. Resolves with the answer, at the latest at the deadline. */
  ask(name: string, reason: string | undefined): Promise<StopAnswer>;
  /**
   * Waits for a request that was sent earlier and that no caller waits for. Its deadline starts now, plus `moreMs`. It
   * may have been answered before. So `ask` sends a new request anyway, and this one resolves as `open`.
   */
  adopt(name: string, request: { readonly requestId: RequestId; readonly moreMs: number }): Promise<StopAnswer>;
  /** The open request to this member, the latest if there are two. */
  openRequestTo(name: string): RequestId | undefined;
  readonly handlers: MailHandlers;
  close(): void;
}

export type StopAnswer =
  | { readonly kind: "approved" }
  | { readonly kind: "rejected"; readonly reason: string }
  | { readonly kind: "late" }
  /** The session ends before an answer, so no caller waits for it. */
  | { readonly kind: "open" };

export interface StopRequestsOptions {
  readonly sender: Pick<MailSender, "send">;
  readonly clock: Clock;
  readonly createId: CreateId;
  /** How long a member may take to answer. */
  readonly deadlineMs: number;
}

type Answer = Exclude<StopAnswer, { kind: "late" }>;

export function createStopRequests(options: StopRequestsOptions): StopRequests {
  const requests = createMailRequests<Answer>(options);
  /** The requests of this run of the lead, with their answers. */
  const sent = new Map<string, { readonly requestId: RequestId; readonly answer: Promise<StopAnswer> }>();
  const over = new AbortController();

  /** Resolves as `open` when the session ends first. */
  const toAnswer = async (outcome: Promise<RequestOutcome<Answer>>): Promise<StopAnswer> => {
    try {
      const came = await outcome;
      if (came.kind === "refused") throw new TroupeError("mail", came.reason);
      return came.kind === "timeout" ? { kind: "late" } : came.answer;
    } catch (error) {
      if (!over.signal.aborted) throw error;
      return { kind: "open" };
    }
  };

  const settle = (requestId: RequestId, from: string, answer: Answer) => {
    const newer = sent.get(from);
    const isOlder = newer !== undefined && newer.requestId !== requestId;
    // The newer request gets the result, and the member ends only once.
    const settled = requests.settle(requestId, isOlder ? { kind: "open" } : answer, { to: from });
    if (settled === "settled" && isOlder && answer.kind === "approved")
      requests.settle(newer.requestId, answer, { to: from });
  };

  return {
    openRequestTo: (name) => requests.open().findLast(({ to }) => to === name)?.requestId,
    async ask(name, reason) {
      const known = sent.get(name);
      if (known) return known.answer;
      const requestId = requests.createId();
      const body = { kind: "shutdown_request" as const, requestId, ...(reason !== undefined && { reason }) };
      const how = { timeoutMs: options.deadlineMs, signal: over.signal };
      const answer = toAnswer(requests.request({ requestId, to: name, body }, how)).finally(() => sent.delete(name));
      sent.set(name, { requestId, answer });
      return answer;
    },
    async adopt(name, { requestId, moreMs }) {
      const how = { timeoutMs: options.deadlineMs + moreMs, signal: over.signal };
      const answer = await toAnswer(requests.expect(requestId, { to: name }, how));
      return answer.kind === "late" && sent.has(name) ? { kind: "open" } : answer;
    },
    handlers: {
      shutdown_approved: async (mail, { requestId }) => settle(requestId, mail.from, { kind: "approved" }),
      shutdown_rejected: async (mail, { requestId, reason }, admit) => {
        settle(requestId, mail.from, { kind: "rejected", reason });
        await admit();
      },
    },
    close: () => over.abort(new DOMException("the session is closing", "AbortError")),
  };
}
