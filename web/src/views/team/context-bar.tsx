import { formatCount } from "../../parts/format-amounts.ts";

/** How much of its context an agent uses. Without a known limit, only the number. */
export function ContextBar({ share, tokens }: { share: number | undefined; tokens: number | undefined }) {
  if (tokens === undefined) return null;
  const words = share === undefined ? formatCount(tokens) : `${Math.round(share * 100)} %`;
  return (
    <span className="context-bar" title={`${formatCount(tokens)} tokens in its context`}>
      {share !== undefined && (
        <span className="context-track" data-full={share > 0.8 || undefined}>
          <span style={{ width: `${Math.max(2, share * 100)}%` }} />
        </span>
      )}
      <span>
        {words} <span className="unseen">of its </span>context
      </span>
    </span>
  );
}
