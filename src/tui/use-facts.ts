import { useEffect, useState } from "react";
import { messageOf } from "../protocol/index.ts";

export type Lookup<T> =
  | { readonly kind: "looking" }
  | { readonly kind: "found"; readonly found: T }
  | { readonly kind: "failed"; readonly message: string };

/** Loads a value once, when the component is mounted. */
export function useFacts<T>(look: () => Promise<T>): Lookup<T> {
  const [looked, setLooked] = useState<Lookup<T>>({ kind: "looking" });
  useEffect(() => {
    let isUnmounted = false;
    const set = (next: Lookup<T>) => {
      if (!isUnmounted) setLooked(next);
    };
    look().then(
      (found) => set({ kind: "found", found }),
      (error: unknown) => set({ kind: "failed", message: messageOf(error) }),
    );
    return () => {
      isUnmounted = true;
    };
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- once, whatever function it is given later
  }, []);
  return looked;
}

/** Returns the text of a dialog without rows. */
export function emptyListText(looked: Lookup<unknown>, none: string): string {
  if (looked.kind === "looking") return "loading …";
  return looked.kind === "failed" ? looked.message : none;
}
