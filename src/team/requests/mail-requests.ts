import { type Clock, type CreateId, never, rejectOnAbort } from "../../platform/index.ts";
import { type Mail, type MailBody, type MailKind, type RequestId, TroupeError } from "../../protocol/index.ts";
import { sendFailureReason } from "../mailbox/mail-error.ts";
import type { MailHandlers } from "../mailbox/inbox-consumer.ts";
import type { MailSender } from "../mailbox/mail-sender.ts";

/** Requests by mail and their answers: permission, host, plan, spawn and shutdown all work this way. */
export interface MailRequests<Answer> {
  /** Sends a request and waits for its answer. Rejects when `signal` aborts. */
  request(wanted: OutgoingRequest, how?: AnswerWait): Promise<RequestOutcome<Answer>>;
  /** Waits for the answer to a request that was sent earlier. */
  expect(requestId: RequestId, about: RequestFacts, how?: AnswerWait): Promise<RequestOutcome<Answer>>;
  /** Gives an open request its answer. Each is answered once, and only by mail that fits it. */
  settle(requestId: RequestId, answer: Answer, by?: Partial<RequestFacts>): "settled" | "unknown" | "mismatch";
  /** The open requests, oldest first. */
  open(): readonly (RequestFacts & { readonly requestId: RequestId })[];
  createId(): RequestId;
}

/** The member that was asked, and the digest that binds the answer to the question. */
export interface RequestFacts {
  readonly to: string;
  readonly digest?: string | undefined;
}

export interface OutgoingRequest extends RequestFacts {
  readonly requestId: RequestId;
  readonly body: MailBody;
  readonly wakes?: boolean | undefined;
  /** Called when the request is stored. */
  readonly onSent?: (() => void) | undefined;
}

export interface AnswerWait {
  /** Default: no limit. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export type RequestOutcome<Answer> =
  | { readonly kind: "answer"; readonly answer: Answer }
  | { readonly kind: "timeout"; readonly timeoutMs: number }
  /** The request could not be sent. */
  | { readonly kind: "refused"; readonly reason: string };

interface OpenRequest<Answer> extends RequestFacts {
  readonly answer: (answer: Answer) => void;
}

export function createMailRequests<Answer>({
  sender,
  clock,
  createId,
}: {
  readonly sender: Pick<MailSender, "send">;
  readonly clock: Pick<Clock, "sleep">;
  readonly createId: CreateId;
}): MailRequests<Answer> {
  const open = new Map<RequestId, OpenRequest<Answer>>();

  const register = (requestId: RequestId, about: RequestFacts) =>
    new Promise<RequestOutcome<Answer>>((resolve) => {
      open.set(requestId, { ...about, answer: (answer) => resolve({ kind: "answer", answer }) });
    });

  const answerTo = async (
    requestId: RequestId,
    answered: Promise<RequestOutcome<Answer>>,
    { timeoutMs, signal }: AnswerWait,
  ): Promise<RequestOutcome<Answer>> => {
    const over = new AbortController();
    const late =
      timeoutMs === undefined
        ? never()
        : clock.sleep(timeoutMs, over.signal).then(
            () => ({ kind: "timeout" as const, timeoutMs }),
            never, // it was answered
          );
    const outcome = Promise.race([answered, late]);
    try {
      return await (signal ? rejectOnAbort(outcome, signal) : outcome);
    } finally {
      over.abort();
      open.delete(requestId);
    }
  };

  return {
    expect: (requestId, about, how = {}) => answerTo(requestId, register(requestId, about), how),
    async request({ requestId, to, digest, body, wakes, onSent }, how = {}) {
      how.signal?.throwIfAborted();
      // Expect the answer before the request is sent: it may come at once.
      const answered = register(requestId, { to, digest });
      try {
        await sender.send({ to, body, ...(wakes !== undefined && { wakes }) });
      } catch (error) {
        open.delete(requestId);
        if (TroupeError.is(error) && error.code === "mail") return { kind: "refused", reason: error.message };
        throw error;
      }
      onSent?.();
      return answerTo(requestId, answered, how);
    },
    settle(requestId, answer, by = {}) {
      const request = open.get(requestId);
      if (!request || (by.to !== undefined && by.to !== request.to)) return "unknown";
      if (request.digest !== undefined && request.digest !== by.digest) return "mismatch";
      open.delete(requestId);
      request.answer(answer);
      return "settled";
    },
    open: () => [...open].map(([requestId, { to, digest }]) => ({ requestId, to, digest })),
    createId: () => createId<RequestId>("ask"),
  };
}

/** Answers requests of this kind by mail. `answer` returns undefined if no answer is wanted any more. */
export const respondByMail = <K extends MailKind>(
  kind: K,
  { sender, warn }: { readonly sender: Pick<MailSender, "send">; readonly warn: (message: string) => Promise<unknown> },
  answer: (
    mail: Mail,
    body: Extract<MailBody, { kind: K }>,
    admit: () => Promise<void>,
  ) => Promise<MailBody | undefined>,
): MailHandlers => ({
  [kind]: (mail: Mail, body: Extract<MailBody, { kind: K }>, admit: () => Promise<void>) => ({
    later: (async () => {
      const response = await answer(mail, body, admit);
      if (response) await sendAnswer(mail.from, response, { sender, warn });
    })(),
  }),
});

/** Sends an answer. If it cannot be sent, the user gets a warning. */
export async function sendAnswer(
  to: string,
  body: MailBody,
  { sender, warn }: { readonly sender: Pick<MailSender, "send">; readonly warn: (message: string) => Promise<unknown> },
): Promise<void> {
  try {
    await sender.send({ to, body });
  } catch (error) {
    await warn(`cannot send the answer to ${to}: ${sendFailureReason(error)}`);
  }
}
