import type { PermissionQuestion } from "../../agent/index.ts";
import type { Ack, PermissionAnswer, RequestId } from "../../protocol/index.ts";

/** Holds the permission questions that wait for a user. The first answer wins, later ones are refused. */
export interface PermissionBroker {
  /** Returns undefined after `abandon`. */
  ask(question: PermissionQuestion, signal: AbortSignal): Promise<PermissionAnswer> | undefined;
  /** Denies all open questions and accepts no new ones: no user will answer. */
  abandon(): void;
  reply(requestId: RequestId, answer: PermissionAnswer): Ack;
}

export function createPermissionBroker(): PermissionBroker {
  const open = new Map<RequestId, (answer: PermissionAnswer) => void>();
  let abandoned = false;
  return {
    ask({ requestId }, signal) {
      if (abandoned) return undefined;
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason as Error);
        const onAbort = () => {
          open.delete(requestId);
          reject(signal.reason as Error);
        };
        signal.addEventListener("abort", onAbort, { once: true });
        open.set(requestId, (answer) => {
          open.delete(requestId);
          signal.removeEventListener("abort", onAbort);
          resolve(answer);
        });
      });
    },
    abandon() {
      abandoned = true;
      const message = "no user is available to give it";
      for (const resolveQuestion of open.values()) resolveQuestion({ behavior: "deny", by: "policy", message });
    },
    reply(requestId, answer) {
      const resolveQuestion = open.get(requestId);
      if (!resolveQuestion) {
        return {
          ok: false,
          code: "no_such_request",
          message: `no open request ${requestId}: it is already settled or was never asked`,
        };
      }
      resolveQuestion(answer);
      return { ok: true };
    },
  };
}
