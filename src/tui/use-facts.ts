import { useEffect, useState } from "react";

export type Looked<T> =
  | { readonly kind: "looking" }
  | { readonly kind: "found"; readonly found: T }
  | { readonly kind: "failed"; readonly message: string };

/** Looks something up once, when the component appears. */
export function useFacts<T>(look: () => Promise<T>): Looked<T> {
  const [looked, setLooked] = useState<Looked<T>>({ kind: "looking" });
  useEffect(() => {
    let isGone = false;
    const set = (next: Looked<T>) => {
      if (!isGone) setLooked(next);
    };
    look().then(
      (found) => set({ kind: "found", found }),
      (error: unknown) => set({ kind: "failed", message: error instanceof Error ? error.message : String(error) }),
    );
    return () => {
      isGone = true;
    };
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- once, whatever function it is given later
  }, []);
  return looked;
}

/** What a dialog says in the place of its rows while there are none. */
export function emptyWords(looked: Looked<unknown>, none: string): string {
  if (looked.kind === "looking") return "looking it up …";
  return looked.kind === "failed" ? looked.message : none;
}
