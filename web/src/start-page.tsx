import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { createStore } from "../../src/view/index.ts";
import { App } from "./app.tsx";
import { applyTheme, savedTheme } from "./frame/theme.ts";
import { parseRoute } from "./route.ts";
import { connect, type ConnectionPorts } from "./state/live-connection.ts";
import { initialState } from "./state/initial-state.ts";

/** Starts the page with a connection to its server. */
export function startPage(ports: ConnectionPorts): void {
  applyTheme(savedTheme());
  const place = document.querySelector("#app");
  if (!place) throw new Error("the page has no element for the app");
  const route = parseRoute(location.hash);
  // Requests data at once, not only with the first drawing. The displayed transcript is kept from the first event on.
  const store = createStore(initialState(route));
  const connection = connect(store, ports);
  // Retries at once when the computer wakes up or is online again.
  addEventListener("online", () => connection.retry());
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "visible") connection.retry();
  });
  createRoot(place).render(
    <StrictMode>
      <App store={store} connection={connection} />
    </StrictMode>,
  );
}
