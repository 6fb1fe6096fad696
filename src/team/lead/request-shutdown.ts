import type { Clock, CreateId } from "../../platform/index.ts";
import type { RequestId } from "../../protocol/index.ts";
import type { MailHandlers, InboxConsumer } from "../mailbox/inbox-consumer.ts";

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
  readonly link: () => InboxConsumer;
  readonly clock: Clock;
  readonly createId: CreateId;
  /** How long a member may take to answer. */
  readonly deadlineMs: number;
}

interface OpenStop {
  readonly name: string;
  readonly isSent: boolean;
  readonly answered: Promise<StopAnswer>;
  readonly answer: (answer: StopAnswer) => void;
}

export function createStopRequests(options: StopRequestsOptions): StopRequests {
  const openStops = new Map<RequestId, OpenStop>();
  const over = new AbortController();
  const openStopsTo = (name: string) => [...openStops].filter(([, each]) => each.name === name);
  const sentTo = (name: string) => openStopsTo(name).find(([, each]) => each.isSent);

  const settle = (requestId: RequestId, from: string, answer: StopAnswer) => {
    const open = openStops.get(requestId);
    if (open?.name !== from) return;
    openStops.delete(requestId);
    const newerStop = open.isSent ? undefined : sentTo(from);
    if (!newerStop) return open.answer(answer);
    // The newer request gets the result, and the member ends only once.
    open.answer({ kind: "open" });
    if (answer.kind === "approved") settle(newerStop[0], from, answer);
  };

  const expect = (requestId: RequestId, { name, isSent }: Pick<OpenStop, "name" | "isSent">) => {
    const { promise: answered, resolve: answer } = withResolvers<StopAnswer>();
    openStops.set(requestId, { name, isSent, answered, answer });
    return answered;
  };

  const startDeadline = (requestId: RequestId, name: string, ms: number) =>
    void options.clock.sleep(ms, over.signal).then(
      () => settle(requestId, name, { kind: "late" }),
      () => settle(requestId, name, { kind: "open" }),
    );

  return {
    openRequestTo: (name) => openStopsTo(name).at(-1)?.[0],
    async ask(name, reason) {
      const known = sentTo(name);
      if (known) return known[1].answered;
      const requestId = options.createId<RequestId>("ask");
      const answered = expect(requestId, { name, isSent: true });
      const body = { kind: "shutdown_request" as const, requestId, ...(reason !== undefined && { reason }) };
      try {
        await options.link().send({ to: name, body });
      } catch (error) {
        openStops.delete(requestId);
        throw error;
      }
      startDeadline(requestId, name, options.deadlineMs);
      return answered;
    },
    adopt(name, { requestId, moreMs }) {
      const answered = expect(requestId, { name, isSent: false });
      startDeadline(requestId, name, options.deadlineMs + moreMs);
      return answered;
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

/** `Promise.withResolvers` of newer Node versions. */
function withResolvers<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
