import type { Store } from "../../../src/view/index.ts";
import type { DashboardState, Toast } from "./dashboard-state.ts";

/** Maximum number of toasts; the oldest is removed first. */
const most = 4;

export function addToast(store: Store<DashboardState>, toast: Omit<Toast, "id">): void {
  store.setState((state) => {
    const toasted = state.toastCount + 1;
    return { ...state, toastCount: toasted, toasts: [...state.toasts, { ...toast, id: toasted }].slice(-most) };
  });
}

export function removeToast(store: Store<DashboardState>, id: number): void {
  store.setState((state) => ({ ...state, toasts: state.toasts.filter((toast) => toast.id !== id) }));
}
