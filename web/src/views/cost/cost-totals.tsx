import { cachedShare, type CostSum } from "../../../../src/view/index.ts";
import { formatCount, formatMoney } from "../../parts/format-amounts.ts";
import { tokens } from "./cost-groups.ts";

export function CostTotals({ total, budgetUsd }: { total: CostSum; budgetUsd: number | undefined }) {
  const { usage } = total;
  const share = cachedShare(total);
  return (
    <dl className="cost-totals">
      <div>
        <dt>Spent</dt>
        <dd>
          <strong>{total.costUsd === 0 && total.requests > 0 ? "no price" : formatMoney(total.costUsd)}</strong>
          {budgetUsd === undefined ? (
            <span className="soft">no budget</span>
          ) : (
            <Budget spent={total.costUsd} budgetUsd={budgetUsd} />
          )}
        </dd>
      </div>
      <div>
        <dt>Tokens</dt>
        <dd>
          <strong>{formatCount(tokens(total))}</strong>
          <span className="soft">
            {formatCount(usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens)} read,{" "}
            {formatCount(usage.outputTokens)} written
          </span>
        </dd>
      </div>
      <div>
        <dt>From the cache</dt>
        <dd>
          <strong>{share === undefined ? "-" : formatPercent(share)}</strong>
          <span className="soft">of the input</span>
        </dd>
      </div>
      <div>
        <dt>Requests</dt>
        <dd>
          <strong>{formatCount(total.requests)}</strong>
          <span className="soft">
            {total.lostAttempts === 0 ? "none lost" : `${total.lostAttempts} lost, for ${formatMoney(total.lostUsd)}`}
          </span>
        </dd>
      </div>
    </dl>
  );
}

function Budget({ spent, budgetUsd }: { spent: number; budgetUsd: number }) {
  const share = budgetUsd === 0 ? 1 : spent / budgetUsd;
  const level = share >= 1 ? "over" : share >= 0.8 ? "near" : "well";
  return (
    <span className="cost-of-budget" data-level={level}>
      <meter min={0} max={1} value={Math.min(1, share)} aria-label="Share of the budget" />
      <span>
        {formatPercent(share)} of {formatMoney(budgetUsd)}
      </span>
    </span>
  );
}

export const formatPercent = (share: number): string =>
  share > 0 && share < 0.01
    ? "under 1 %"
    : share > 0.99 && share < 1
      ? `${(Math.floor(share * 1000) / 10).toFixed(1)} %`
      : `${Math.round(share * 100)} %`;
