import { createContext, useContext, useLayoutEffect, useRef, useSyncExternalStore } from "react";
import type { Ack, Command } from "../protocol/index.ts";
import type { AppState, Store } from "../view/index.ts";
import type { KeyHandler, KeyReader } from "./terminal/input-keys.ts";
import type { AlternateScreen } from "./terminal/alternate-screen.ts";
import type { Theme } from "./theme.ts";

/** What every part of the screen works with. Parts take their data from the store and send commands; they decide nothing. */
export interface Frontend {
  readonly store: Store<AppState>;
  /** The same state, at most thirty times a second: what is drawn from. */
  readonly frames: Pick<Store<AppState>, "getState" | "subscribe"> & {
    /** Draws in the next frame, whether something has happened or not: something moves. */
    request?(): void;
  };
  readonly keys: Pick<KeyReader, "subscribe">;
  readonly theme: Theme;
  readonly size: { getState(): Size; subscribe(listener: () => void): () => void };
  readonly now: () => number;
  readonly alternateScreen: AlternateScreen;
  /** Sends a command; what is wrong with it is shown as a notice, and given back. */
  send(command: Command): Promise<Ack>;
  /** Ends the program after the session is closed. */
  leave(): void;
}

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

export const FrontendContext = createContext<Frontend | undefined>(undefined);

export function useFrontend(): Frontend {
  const frontend = useContext(FrontendContext);
  if (!frontend) throw new Error("there is no face around this component");
  return frontend;
}

/** A slice of the state; the component is drawn again only when it is another one. */
export function useAppState<T>(select: (state: AppState) => T): T {
  const { frames } = useFrontend();
  return useSyncExternalStore(frames.subscribe, () => select(frames.getState()));
}

export function useSize(): Size {
  const { size } = useFrontend();
  return useSyncExternalStore(size.subscribe, size.getState);
}

/** Hears keys while it is active. Returns true from the handler to keep a key from the others. */
export function useKeys(handler: KeyHandler, { isActive = true }: { readonly isActive?: boolean } = {}): void {
  const { keys } = useFrontend();
  const latest = useRef(handler);
  latest.current = handler;
  // With the drawing, not after it: whoever sees it may press a key at once, and that one is not for those below.
  useLayoutEffect(() => (isActive ? keys.subscribe((key) => latest.current(key)) : undefined), [keys, isActive]);
}
