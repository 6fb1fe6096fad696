import { createContext, useContext, useLayoutEffect, useRef, useSyncExternalStore } from "react";
import type { Ack, Command } from "../protocol/index.ts";
import type { AppState, Store } from "../view/index.ts";
import type { KeyHandler, KeyPress, KeyReader } from "./terminal/input-keys.ts";
import type { AlternateScreen } from "./terminal/alternate-screen.ts";
import type { Theme } from "./theme.ts";

/** The context that all UI components share. Components read the store and send commands; they hold no logic. */
export interface Frontend {
  readonly store: Store<AppState>;
  /** The state for drawing, updated at most thirty times a second. */
  readonly frames: Pick<Store<AppState>, "getState" | "subscribe"> & {
    /** Requests the next frame even if the state did not change, for animations. */
    request?(): void;
  };
  readonly keys: Pick<KeyReader, "subscribe">;
  readonly theme: Theme;
  readonly size: { getState(): Size; subscribe(listener: () => void): () => void };
  readonly now: () => number;
  readonly alternateScreen: AlternateScreen;
  /** Sends a command. A refusal is shown as a notice and returned. */
  send(command: Command): Promise<Ack>;
  /** Gives a key to the prompt, for text that was typed while a dialog was open. */
  typeInPrompt(key: KeyPress): void;
  /** Puts text into the prompt for editing. */
  writePrompt(text: string): void;
  /** Ends the program. The session is closed first. */
  leave(): void;
}

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

export const FrontendContext = createContext<Frontend | undefined>(undefined);

export function useFrontend(): Frontend {
  const frontend = useContext(FrontendContext);
  if (!frontend) throw new Error("this component needs a frontend context");
  return frontend;
}

/** Selects a slice of the state. The component is drawn again only when the slice changes. */
export function useAppState<T>(select: (state: AppState) => T): T {
  const { frames } = useFrontend();
  return useSyncExternalStore(frames.subscribe, () => select(frames.getState()));
}

export function useSize(): Size {
  const { size } = useFrontend();
  return useSyncExternalStore(size.subscribe, size.getState);
}

/** Subscribes to keys while active. A handler that returns true keeps the key from later handlers. */
export function useKeys(handler: KeyHandler, { isActive = true }: { readonly isActive?: boolean } = {}): void {
  const { keys } = useFrontend();
  const latest = useRef(handler);
  latest.current = handler;
  // Subscribe in the same step as the drawing: the user may press a key at once, and it must not reach the handlers
  // below.
  useLayoutEffect(() => (isActive ? keys.subscribe((key) => latest.current(key)) : undefined), [keys, isActive]);
}
