import type { PermissionQuestion } from "../../agent/index.ts";
import { rejectOnAbort } from "../../platform/index.ts";
import type { PermissionAnswer, RequestId } from "../../protocol/index.ts";
import type { HeldJob } from "../jobs/work-bus.ts";
import type { JobOrder } from "../jobs/job.ts";
import type { BudgetAnswer, createJobLedger } from "./job-ledger.ts";
import type { JobReporter } from "./job-reporter.ts";

/** Sends permission questions to the session that submitted the job. */
export function createPermissionAnswers({ lost }: HeldJob, reporter: () => JobReporter) {
  const open = new Map<RequestId, (answer: PermissionAnswer) => void>();
  return {
    ask: async (question: PermissionQuestion, signal: AbortSignal): Promise<PermissionAnswer> => {
      const until = AbortSignal.any([signal, lost]);
      until.throwIfAborted();
      const answered = new Promise<PermissionAnswer>((resolve) => open.set(question.requestId, resolve));
      try {
        await reporter().question(question);
        return await rejectOnAbort(answered, until);
      } finally {
        open.delete(question.requestId);
      }
    },
    answered: (requestId: RequestId, answer: PermissionAnswer) => open.get(requestId)?.(answer),
  };
}

/**
 * Sends budget requests to the session that submitted the job. Answers to other workers of the same job are ignored.
 */
export function createBudgetAnswers({ lost, state }: HeldJob, reporter: () => Pick<JobReporter, "budget">) {
  const open = new Map<number, (answer: BudgetAnswer) => void>();
  /** An answer can arrive before the number of its request is known here. */
  const earlyAnswers = new Map<number, BudgetAnswer>();
  const ask: Parameters<typeof createJobLedger>[0] = async (wanted) => {
    lost.throwIfAborted();
    const number = await reporter().budget(wanted);
    const known = earlyAnswers.get(number);
    if (known) return known;
    return rejectOnAbort(new Promise<BudgetAnswer>((resolve) => open.set(number, resolve)), lost);
  };
  return {
    ask,
    answered(order: Extract<JobOrder, { kind: "budget" }>) {
      if (order.generation !== state.generation) return;
      const resolve = open.get(order.number);
      open.delete(order.number);
      if (resolve) resolve(order);
      else earlyAnswers.set(order.number, order);
    },
  };
}
