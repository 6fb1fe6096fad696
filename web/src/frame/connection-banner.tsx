import { useDashboard } from "../state/dashboard-store.ts";

/** Warns that the displayed data may be outdated, and says what to do. */
export function ConnectionBanner({ onRetry }: { onRetry: () => void }) {
  const connection = useDashboard((state) => state.connection);
  if (connection.kind === "refused") {
    return (
      <div className="banner" role="alert">
        <p>
          The server does not accept this browser. Open the address that <code>troupe web</code> printed: it contains
          the token.
        </p>
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      </div>
    );
  }
  // A single short interruption is not shown.
  if (connection.kind !== "waiting" || connection.tries < 2) return null;
  return (
    <div className="banner" role="status">
      <p>
        Cannot reach the server; the displayed data may be outdated. The page retries automatically. If the server was
        stopped, start <code>troupe web</code> again on the same port.
      </p>
      <button type="button" onClick={onRetry}>
        Try now
      </button>
    </div>
  );
}
