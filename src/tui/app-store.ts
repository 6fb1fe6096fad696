import { addNotice, type AppState, createAppState, createStore, type Store } from "../view/index.ts";
import { isSamePreferences, screenPreferencesOf } from "./preferences.ts";
import type { TuiOptions } from "./run-tui.ts";

export interface AppStore {
  readonly store: Store<AppState>;
  /** Shows an error as a notice. */
  problem(text: string): void;
  /** Shows a short-lived hint. */
  hint(text: string): void;
}

/** Creates the state of the UI with the user's preferences. Stores them when they change. */
export function createAppStore({
  session,
  self,
  preferences,
  start,
  now,
}: Pick<TuiOptions, "session" | "self" | "preferences" | "start" | "now">): AppStore {
  const notify = (level: "error" | "info", text: string, ms: number) =>
    store.setState((state) => addNotice(state, { level, text, until: now() + ms }));
  const problem = (text: string) => notify("error", text, 10_000);
  const store = createStore(
    createAppState({ session: session.view(), self, ...preferences.stored, opens: start?.opens, now: now() }),
    {
      onChange({ previous, next }) {
        const [before, after] = [screenPreferencesOf(previous), screenPreferencesOf(next)];
        if (!isSamePreferences(before, after)) preferences.save(after).catch((error: Error) => problem(error.message));
      },
    },
  );
  if (preferences.problem !== undefined) problem(preferences.problem);
  return { store, problem, hint: (text) => notify("info", text, 2_000) };
}
