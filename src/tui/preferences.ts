import type { AppState } from "../view/index.ts";

/** The user's last state of the screen. */
export type ScreenPreferences = Pick<AppState, "showTeammateMessagePreview">;

/** Stores the preferences. The program that starts the UI decides where. */
export interface Preferences {
  readonly stored: Partial<ScreenPreferences>;
  /** The reason why the stored preferences could not be read. */
  readonly problem: string | undefined;
  /** Rejects with a TroupeError if they cannot be stored. */
  save(now: ScreenPreferences): Promise<void>;
}

export const screenPreferencesOf = ({ showTeammateMessagePreview }: AppState): ScreenPreferences => ({
  showTeammateMessagePreview,
});

export const isSamePreferences = (a: ScreenPreferences, b: ScreenPreferences): boolean =>
  a.showTeammateMessagePreview === b.showTeammateMessagePreview;
