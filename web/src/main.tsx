import "./disable-zod-eval.ts";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/controls.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { createStore } from "../../src/view/index.ts";
import { App } from "./app.tsx";
import { applyTheme, savedTheme } from "./frame/theme.ts";
import { parseRoute } from "./route.ts";
import { browserPorts } from "./state/browser-ports.ts";
import { connect } from "./state/live-connection.ts";
import { initialState } from "./state/initial-state.ts";

applyTheme(savedTheme());
const place = document.querySelector("#app");
if (!place) throw new Error("the page has no place for the app");
const route = parseRoute(location.hash);
// What is wanted is asked for at once, not only when it is drawn for the first time; and whose transcript is wanted is kept
// from the first event on.
const store = createStore(initialState(route));
const connection = connect(store, browserPorts);
// A computer that wakes up, or is back in its network, does not wait for the next try.
addEventListener("online", () => connection.retry());
document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible") connection.retry();
});
createRoot(place).render(
  <StrictMode>
    <App store={store} connection={connection} />
  </StrictMode>,
);
