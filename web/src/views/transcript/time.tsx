import { formatClock } from "../../parts/format-amounts.ts";

export function Time({ at }: { at: string }) {
  return (
    <time className="row-time" dateTime={at} title={at}>
      {formatClock(at)}
    </time>
  );
}
