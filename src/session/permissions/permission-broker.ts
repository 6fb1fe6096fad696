import type { PermissionQuestion } from "../../agent/index.ts";
import type { Ack, PermissionAnswer, RequestId } from "../../protocol/index.ts";

/** Holds the questions that wait for a person. The first answer wins; a later one is told so. */
export interface PermissionBroker {
  /** Undefined once nobody will answer any more. */
  ask(question: PermissionQuestion, signal: AbortSignal): Promise<PermissionAnswer> | undefined;
  /** Nobody will answer any more: what is open is refused, and nobody is asked again. */
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
      const message = "Nobody was left to answer. Go on without it.";
      for (const resolveQuestion of open.values()) resolveQuestion({ behavior: "deny", message });
    },
    reply(requestId, answer) {
      const resolveQuestion = open.get(requestId);
      if (!resolveQuestion) {
        return {
          ok: false,
          code: "no_such_request",
          message: `nobody waits for an answer to ${requestId}: it is settled, or was never asked`,
        };
      }
      resolveQuestion(answer);
      return { ok: true };
    },
  };
}
