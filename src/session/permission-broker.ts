import type { PermissionQuestion } from "../agent/index.ts";
import type { Ack, PermissionAnswer, RequestId } from "../protocol/index.ts";

/** Holds the questions that wait for a person. The first answer wins; a later one is told so. */
export interface PermissionBroker {
  ask(question: PermissionQuestion, signal: AbortSignal): Promise<PermissionAnswer>;
  reply(requestId: RequestId, answer: PermissionAnswer): Ack;
}

export function createPermissionBroker(): PermissionBroker {
  const open = new Map<RequestId, (answer: PermissionAnswer) => void>();
  return {
    ask: ({ requestId }, signal) =>
      new Promise((resolve, reject) => {
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
      }),
    reply(requestId, answer) {
      const settle = open.get(requestId);
      if (!settle) {
        return {
          ok: false,
          code: "no_such_request",
          message: `nobody waits for an answer to ${requestId}: it is settled, or was never asked`,
        };
      }
      settle(answer);
      return { ok: true };
    },
  };
}
