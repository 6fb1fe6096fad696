import { type Agent, shutdownReminder } from "../../agent/index.ts";
import { type MailBody, type Mail, type RequestId, teamLead } from "../../protocol/index.ts";
import type { MailHandlers } from "../mailbox/inbox-consumer.ts";
import type { MailSender } from "../mailbox/mail-sender.ts";

/** The teammate's side of a shutdown: the lead's request, and the answer of its model. */
export interface ShutdownHandshake {
  readonly handler: NonNullable<MailHandlers["shutdown_request"]>;
  /** The request that waits for an answer. */
  readonly requestId: RequestId | undefined;
  /** It has agreed to end, and ends when the call that said so has its result. */
  readonly hasAgreed: boolean;
  /** Reminds a model that finished its turn of an open request, once per request. Returns false if it did not. */
  remind(idle: { readonly reason: string }): Promise<boolean>;
  answer(answer: ShutdownAnswer): Promise<void>;
}

export interface ShutdownAnswer {
  readonly approve: boolean;
  readonly reason?: string | undefined;
}

export interface ShutdownHandshakeOptions {
  readonly sender: Pick<MailSender, "send">;
  readonly agent: Pick<Agent, "admit" | "wake">;
  readonly isOutdated: (mail: Mail) => boolean;
  readonly onRequest: (reason: string) => void;
  /** Reports what is unreported before it agrees, because nothing comes from it afterwards. */
  readonly sendFarewell: () => Promise<void>;
  readonly onRejected: () => void;
}

export function createShutdownHandshake(options: ShutdownHandshakeOptions): ShutdownHandshake {
  let open: { readonly requestId: RequestId; readonly settle: () => void; isReminded: boolean } | undefined;
  let hasAgreed = false;
  return {
    handler: (mail, { requestId, reason }, admit) => ({
      later: new Promise<void>((settle, fail) => {
        if (options.isOutdated(mail)) return settle();
        // Only the latest request gets an answer.
        open?.settle();
        open = { requestId, settle, isReminded: false };
        options.onRequest(reason ?? "asked to end");
        admit().catch(fail);
      }),
    }),
    get requestId() {
      return open?.requestId;
    },
    get hasAgreed() {
      return hasAgreed;
    },
    async remind({ reason }) {
      if (!open || open.isReminded || reason !== "completed") return false;
      open.isReminded = true;
      await options.agent.admit("agent", [{ type: "text", text: shutdownReminder(open.requestId) }]);
      options.agent.wake();
      return true;
    },
    async answer({ approve, reason }) {
      if (!open) throw new Error("no shutdown request is open");
      const { settle, requestId } = open;
      if (approve) await options.sendFarewell();
      const body: MailBody = approve
        ? { kind: "shutdown_approved", requestId }
        : { kind: "shutdown_rejected", requestId, reason: reason ?? "it gave no reason" };
      await options.sender.send({ to: teamLead, body, wakes: !approve });
      open = undefined;
      hasAgreed = approve;
      if (!approve) options.onRejected();
      settle();
    },
  };
}
