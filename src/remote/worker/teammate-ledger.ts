import type { Amount, Ledger } from "../../agent/index.ts";
import type { Clock } from "../../platform/index.ts";
import type { SessionId } from "../../protocol/index.ts";
import type { HeldJob } from "../jobs/work-bus.ts";
import { createBudgetAnswers } from "./lead-answers.ts";
import { createJobLedger } from "./job-ledger.ts";

/** The ledger of a remote teammate. It asks the lead through its job, and releases its grant while it is idle. */
export interface TeammateLedger {
  readonly ledger: Ledger;
  /** Receives answers until `signal` aborts. */
  follow(signal: AbortSignal): Promise<void>;
}

export function createTeammateLedger(
  job: HeldJob,
  { session, clock, onFailure }: { session: SessionId; clock: Clock; onFailure(error: unknown): void },
): TeammateLedger {
  const { generation } = job.state;
  let number = 0;
  const report = async (wanted: { readonly keeps: Amount; readonly needs: Amount }) => {
    number += 1;
    const own = number;
    await job.report({ kind: "budget", generation, number: own, session, ...wanted });
    return own;
  };
  const answers = createBudgetAnswers(job, () => ({ budget: report }));
  const release = (keeps: Amount) => {
    if (!job.lost.aborted) report({ keeps, needs: { usd: 0, tokens: 0 } }).catch(onFailure);
  };
  return {
    ledger: createJobLedger(answers.ask, { clock, afterMs: idleMs, release }),
    async follow(signal) {
      for await (const order of job.orders(signal)) if (order.kind === "budget") answers.answered(order);
    },
  };
}

/** Longer than most pauses between two requests. */
const idleMs = 2_000;
