import type { AppState } from "../view/index.ts";

/** How the user left the screen the last time. */
export type Remembered = Pick<AppState, "expandedView" | "showTeammateMessagePreview">;

/** Where that is kept; whoever starts the face knows. */
export interface Preferences {
  readonly before: Partial<Remembered>;
  /** Why nothing is known from before, where something should be. */
  readonly problem: string | undefined;
  /** Rejects with a TroupeError if it cannot be kept. */
  keep(now: Remembered): Promise<void>;
}

export const rememberedOf = ({ expandedView, showTeammateMessagePreview }: AppState): Remembered => ({
  expandedView,
  showTeammateMessagePreview,
});

export const isSameRemembered = (a: Remembered, b: Remembered): boolean =>
  a.expandedView === b.expandedView && a.showTeammateMessagePreview === b.showTeammateMessagePreview;
