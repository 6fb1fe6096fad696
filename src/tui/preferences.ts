import type { AppState } from "../view/index.ts";

/** How the user left the screen the last time. */
export type ScreenPreferences = Pick<AppState, "expandedView" | "showTeammateMessagePreview">;

/** Where that is kept; whoever starts the face knows. */
export interface Preferences {
  readonly stored: Partial<ScreenPreferences>;
  /** Why nothing is known from before, where something should be. */
  readonly problem: string | undefined;
  /** Rejects with a TroupeError if it cannot be kept. */
  save(now: ScreenPreferences): Promise<void>;
}

export const screenPreferencesOf = ({ expandedView, showTeammateMessagePreview }: AppState): ScreenPreferences => ({
  expandedView,
  showTeammateMessagePreview,
});

export const isSamePreferences = (a: ScreenPreferences, b: ScreenPreferences): boolean =>
  a.expandedView === b.expandedView && a.showTeammateMessagePreview === b.showTeammateMessagePreview;
