import { useContext, useEffect } from "react";
import { visibleText } from "../../../src/protocol/index.ts";
import type { Toast } from "../state/dashboard-state.ts";
import { DashboardContext, useDashboard } from "../state/dashboard-store.ts";
import { removeToast } from "../state/toasts.ts";

/** An error stays until it is closed. */
const infoMs = 5_000;

export function Toasts() {
  const toasts = useDashboard((state) => state.toasts);
  return (
    <div className="toasts" role="region" aria-label="Messages" aria-live="polite">
      {toasts.map((toast) => (
        <ToastCard key={toast.id} toast={toast} />
      ))}
    </div>
  );
}

function ToastCard({ toast }: { toast: Toast }) {
  const store = useContext(DashboardContext);
  useEffect(() => {
    if (toast.level === "error") return;
    const timer = setTimeout(() => removeToast(store, toast.id), infoMs);
    return () => clearTimeout(timer);
  }, [store, toast]);
  return (
    <div className="toast" data-level={toast.level}>
      <p>{visibleText(toast.text)}</p>
      <button
        type="button"
        className="icon"
        aria-label="Close the message"
        onClick={() => removeToast(store, toast.id)}
      >
        ×
      </button>
    </div>
  );
}
