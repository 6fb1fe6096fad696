import type { Effort, SessionId } from "../protocol/index.ts";
import type { DiffRequest, RewindPoint, SlashListing } from "../session/index.ts";

/**
 * Facts that dialogs show but no event contains. The program that starts the UI reads them at each request. A promise
 * rejects with a TroupeError that says what to do.
 */
export interface FrontendFacts {
  /** The commands of the session. The UI adds its own. */
  slashCommands(): readonly SlashListing[];
  agentTypes(): Promise<readonly Fact[]>;
  rules(): Promise<readonly Fact[]>;
  hooks(): Promise<readonly Fact[]>;
  /** How much the agents think. */
  effort(): Effort;
  /** The titles are values that `set` accepts as a model. */
  models(): Promise<readonly Fact[]>;
  /** The sessions of all folders in which something happened, newest first. Not those of teammates. */
  sessions(): Promise<readonly SessionFact[]>;
  /** The settings of this folder that need trust. Undefined if there are none. */
  readonly trust?: TrustFacts | undefined;
  /** The moments that the session can go back to, oldest first. */
  rewindPoints(): Promise<readonly RewindPoint[]>;
  /** The changed files as a patch. */
  diff(of: DiffRequest): Promise<string>;
  /** Sets the session to open after this one. Undefined means none. */
  setNext(next: NextSession | undefined): void;
}

/** One line with details. The text is raw: use `visibleLine` before drawing it. */
export interface Fact {
  readonly title: string;
  readonly detail?: string | undefined;
  /** True if it is invalid or not in force. */
  readonly isInactive?: boolean | undefined;
}

export interface SessionFact {
  readonly sessionId: SessionId;
  readonly updatedAt: string;
  readonly cwd: string;
  /** The folder as people write it, with `~`. */
  readonly folder: string;
  readonly firstPrompt: string;
  readonly name?: string | undefined;
  readonly turns?: number | undefined;
  readonly problem?: string | undefined;
}

/** The requests of a folder, and the user's decision about them. */
export interface TrustFacts {
  readonly folder: string;
  /** `source` is the file, relative to the folder. */
  readonly requests: readonly { readonly source: string; readonly key: string; readonly value: unknown }[];
  /** False if the user declined the same requests before. */
  readonly isNew: boolean;
  decide(answer: "trust" | "decline"): Promise<void>;
}

export type NextSession =
  | { readonly kind: "new" }
  | { readonly kind: "resume"; readonly sessionId: SessionId }
  /** The same session, with changed settings. */
  | { readonly kind: "reopen" };
