import type { Agent, PermissionQuestion } from "../../agent/index.ts";
import { rejectOnAbort } from "../../platform/index.ts";
import type { PermissionAnswer, RequestId } from "../../protocol/index.ts";

/** Shows questions of members on the lead's frontends. */
export interface UserQuestions {
  /** Undefined if the member no longer waits for an answer. */
  ask(from: string, question: PermissionQuestion): Promise<PermissionAnswer | undefined>;
  isOpen(requestId: RequestId): boolean;
  askerOf(requestId: RequestId): string | undefined;
  /** The member no longer waits for an answer to this question. */
  drop(requestId: RequestId): void;
  dropAllOf(name: string): void;
  /** Open questions stay unanswered. Their members ask again when the lead is back. */
  close(): void;
}

export interface UserQuestionsPorts {
  readonly lead: Pick<Agent, "record">;
  /** Asks the user that answers the lead's own questions. Undefined when no user is connected. */
  readonly ask: (question: PermissionQuestion, signal: AbortSignal) => Promise<PermissionAnswer> | undefined;
}

export function createUserQuestions(ports: UserQuestionsPorts): UserQuestions {
  const open = new Map<RequestId, { readonly from: string; readonly abort: AbortController }>();
  let isClosing = false;

  const askUser = async (from: string, question: PermissionQuestion, signal: AbortSignal) => {
    const { requestId } = question;
    const settle = (settled: { behavior: "allow" | "deny"; by: "user" | "policy" | "interrupt"; message?: string }) =>
      ports.lead.record({ type: "permission.settled", requestId, ...settled });
    try {
      const answered = ports.ask(question, signal);
      answered?.catch(() => undefined); // handled below
      await ports.lead.record({ type: "permission.asked", ...question });
      if (!answered) {
        await settle({ behavior: "deny", by: "policy", message: "no user to ask" });
        return { behavior: "deny" as const, by: "policy" as const, message: "no user is available to give it" };
      }
      // The answering side may ignore the signal.
      const answer = await rejectOnAbort(answered, signal);
      await settle({ behavior: answer.behavior, by: "user", ...(answer.message && { message: answer.message }) });
      return answer;
    } catch (error) {
      if (!signal.aborted) throw error;
      if (isClosing) return new Promise<never>(() => undefined);
      await settle({ behavior: "deny", by: "interrupt", message: `${from} no longer waits for an answer` });
      return undefined;
    }
  };

  return {
    async ask(from, question) {
      const abort = new AbortController();
      open.set(question.requestId, { from, abort });
      try {
        return await askUser(from, question, abort.signal);
      } finally {
        open.delete(question.requestId);
      }
    },
    isOpen: (requestId) => open.has(requestId),
    askerOf: (requestId) => open.get(requestId)?.from,
    drop: (requestId) => open.get(requestId)?.abort.abort(),
    dropAllOf(name) {
      for (const { from, abort } of open.values()) if (from === name) abort.abort();
    },
    close() {
      isClosing = true;
      for (const { abort } of open.values()) abort.abort();
    },
  };
}
