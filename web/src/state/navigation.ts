import { createContext, useContext, useSyncExternalStore } from "react";
import { parseRoute, type Route } from "../route.ts";

/** The current place in the page, and how to change it. Inside a replay, both are the replay's. */
export interface Navigation {
  readonly route: Route;
  go(href: string): void;
}

export const NavigationContext = createContext<Navigation>({ route: { kind: "home" }, go: () => undefined });

export const useNavigation = (): Navigation => useContext(NavigationContext);

/** Navigation by the browser's address. */
export function useHash(): Navigation {
  const hash = useSyncExternalStore(onHash, () => location.hash);
  return { route: parseRoute(hash), go: (href) => (location.hash = href) };
}

function onHash(changed: () => void): () => void {
  addEventListener("hashchange", changed);
  return () => removeEventListener("hashchange", changed);
}
