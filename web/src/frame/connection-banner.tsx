import { useDashboard } from "../state/dashboard-store.ts";

/** Says that what is shown may be old, and what helps. */
export function ConnectionBanner({ onRetry }: { onRetry: () => void }) {
  const connection = useDashboard((state) => state.connection);
  if (connection.kind === "refused") {
    return (
      <div className="banner" role="alert">
        <p>
          The server does not know this browser. Open the address that <code>troupe web</code> printed: it has the
          token.
        </p>
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      </div>
    );
  }
  // One break that mends itself at once is nothing to read.
  if (connection.kind !== "waiting" || connection.tries < 2) return null;
  return (
    <div className="banner" role="status">
      <p>
        The server cannot be reached; what you see is from before. The page tries again by itself. If it was stopped,
        start <code>troupe web</code> again on the same port.
      </p>
      <button type="button" onClick={onRetry}>
        Try now
      </button>
    </div>
  );
}
