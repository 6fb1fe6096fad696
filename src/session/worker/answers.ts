import type { PermissionQuestion } from "../../agent/index.ts";
import type { PermissionAnswer, RequestId } from "../../protocol/index.ts";
import type { HeldJob } from "../../store/index.ts";
import type { Reporter } from "./reporter.ts";

/** Questions for permission go to whoever wants the job. */
export function createAnswers({ lost }: HeldJob, reporter: () => Reporter) {
  const open = new Map<RequestId, (answer: PermissionAnswer) => void>();
  return {
    ask: async (question: PermissionQuestion, signal: AbortSignal): Promise<PermissionAnswer> => {
      const until = AbortSignal.any([signal, lost]);
      until.throwIfAborted();
      const answered = new Promise<PermissionAnswer>((resolve, reject) => {
        open.set(question.requestId, resolve);
        until.addEventListener("abort", () => reject(until.reason as Error), { once: true });
      });
      try {
        await reporter().question(question);
        return await answered;
      } finally {
        answered.catch(() => undefined);
        open.delete(question.requestId);
      }
    },
    answered: (requestId: RequestId, answer: PermissionAnswer) => open.get(requestId)?.(answer),
  };
}
