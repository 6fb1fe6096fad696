import type { Amount, Ledger } from "../../agent/index.ts";
import type { JobNews } from "../jobs/work-bus.ts";
import type { MemberBudget } from "./remote-backend.ts";
import { createBudgetShare } from "./budget-share.ts";

type BudgetRequest = Extract<Extract<JobNews, { kind: "report" }>["report"], { kind: "budget" }>;

/**
 * Answers the budget requests of a remote teammate and receives what it releases. Its spending is reported separately
 * and may arrive later. Until then the amount is held. Spending of previous runs is already on the ledger and does not
 * count here.
 */
export function createTeammateBudget(
  ledger: Ledger,
  { closed, abort }: { readonly closed: AbortSignal; abort(error: unknown): void },
): MemberBudget {
  const share = createBudgetShare(ledger);
  const spentBy = new Map<string, Amount>();
  let session: string | undefined;
  let generation = 0;
  /** The last open request, and the total granted so far. */
  let openRequest: BudgetRequest | undefined;
  let given: Amount | undefined;
  let isCaughtUp = false;
  let answering: AbortController | undefined;

  /** Releases the unspent budget of the previous run. */
  const begin = (next?: string) => {
    answering?.abort();
    answering = openRequest = given = undefined;
    share.close();
    session = next;
    if (next !== undefined) share.countEarlier(spentBy.get(next) ?? nothing);
  };

  const answer: (...asking: [BudgetRequest, Job]) => Promise<void> = async ({ number, keeps, needs }, job) => {
    const own = new AbortController();
    answering = own;
    const signal = AbortSignal.any([closed, own.signal]);
    try {
      const grant = await share.grant({ keeps, needs }, signal);
      given = grant.most;
      await job.order({ kind: "budget", generation, number, ...grant }, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  };

  const onRequest = (report: BudgetRequest) => {
    if (report.generation !== generation) return;
    if (report.session !== session) begin(report.session);
    given = report.keeps;
    openRequest = isNothing(report.needs) ? undefined : report;
    if (isCaughtUp && !openRequest) share.restoreGrant(given);
  };

  const onAnswer = (number: number, most: Amount) => {
    given = most;
    if (openRequest?.number === number) openRequest = undefined;
  };

  return {
    hear(news, job) {
      switch (news.kind) {
        case "state":
          if (news.state.generation === generation && news.state.status === "held") return;
          generation = news.state.generation;
          return begin();
        case "report":
          if (news.report.kind === "budget") onRequest(news.report);
          return;
        case "order":
          if (news.order.kind === "budget" && news.order.generation === generation)
            onAnswer(news.order.number, news.order.most);
          return;
        case "caught up": {
          // Answers that a previous run of the session gave are known by now and are not repeated.
          if (!isCaughtUp && given) share.restoreGrant(given);
          isCaughtUp = true;
          const open = openRequest;
          openRequest = undefined;
          if (open) answer(open, job).catch(abort);
        }
      }
    },
    spent({ session: life, amount, isNew }) {
      spentBy.set(life, plus(spentBy.get(life) ?? nothing, amount));
      if (life !== session) return isNew ? ledger.add(amount) : undefined;
      if (isNew) return share.spend(amount);
      share.countEarlier(amount);
      if (isCaughtUp && given) share.restoreGrant(given);
    },
    end: () => begin(),
  };
}

type Job = Parameters<MemberBudget["hear"]>[1];

const nothing: Amount = { usd: 0, tokens: 0 };
const isNothing = ({ usd, tokens }: Amount) => usd <= 0 && tokens <= 0;
const plus = (a: Amount, b: Amount): Amount => ({ usd: a.usd + b.usd, tokens: a.tokens + b.tokens });
