import type { SessionId } from "../protocol/index.ts";
import type { SlashListing } from "../session/index.ts";

/**
 * What dialogs show that no event tells of; whoever starts the face looks it up, anew each time it is asked for. A promise
 * rejects with a TroupeError that says what to do.
 */
export interface FrontendFacts {
  /** Those of the session; the face has its own besides. */
  slashCommands(): readonly SlashListing[];
  agentTypes(): Promise<readonly Fact[]>;
  rules(): Promise<readonly Fact[]>;
  hooks(): Promise<readonly Fact[]>;
  /** Titles are what `set` takes as a model. */
  models(): Promise<readonly Fact[]>;
  /** Of this folder, newest first. */
  sessions(): Promise<readonly SessionFact[]>;
  /** Which session comes after this one is left; undefined: none. */
  setNext(next: NextSession | undefined): void;
}

/** One line and what there is to say about it. As it came: `visibleLine` before it is drawn. */
export interface Fact {
  readonly title: string;
  readonly detail?: string | undefined;
  /** Something is wrong with it, or it is not in force. */
  readonly isInactive?: boolean | undefined;
}

export interface SessionFact {
  readonly sessionId: SessionId;
  readonly updatedAt: string;
  readonly firstPrompt: string;
  readonly problem?: string | undefined;
}

export type NextSession = { readonly kind: "new" } | { readonly kind: "resume"; readonly sessionId: SessionId };
