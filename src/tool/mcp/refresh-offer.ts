import type { Connection, Offer } from "./connect.ts";

interface RefreshOptions {
  readonly connection: Pick<Connection, "refresh">;
  /** Aborts when the connection is lost. */
  readonly signal: AbortSignal;
  readonly onOffer: (offer: Offer) => void;
  readonly onError: (error: unknown) => void;
}

/** Returns a function that refreshes the offer. One refresh runs at a time; a change during it causes another one. */
export function createRefresh({ connection, signal, onOffer, onError }: RefreshOptions): () => void {
  let state: "idle" | "refreshing" | "changed again" = "idle";
  const refreshAll = async () => {
    do {
      state = "refreshing";
      const offer = await connection.refresh();
      if (signal.aborted) return;
      onOffer(offer);
    } while (isChanged());
  };
  const isChanged = () => state === "changed again";
  return () => {
    if (state !== "idle") state = "changed again";
    else
      void refreshAll()
        .catch(onError)
        .finally(() => {
          state = "idle";
        });
  };
}
