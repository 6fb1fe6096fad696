import { createContext, useContext, useSyncExternalStore } from "react";
import { parseRoute, type Route } from "../route.ts";

/** Where the page is, and how to go elsewhere. Inside of a replay both are the replay's. */
export interface Navigation {
  readonly route: Route;
  go(href: string): void;
}

export const NavigationContext = createContext<Navigation>({ route: { kind: "home" }, go: () => undefined });

export const useNavigation = (): Navigation => useContext(NavigationContext);

/** The browser's own. */
export function useHash(): Navigation {
  const hash = useSyncExternalStore(onHash, () => location.hash);
  return { route: parseRoute(hash), go: (href) => (location.hash = href) };
}

function onHash(changed: () => void): () => void {
  addEventListener("hashchange", changed);
  return () => removeEventListener("hashchange", changed);
}
