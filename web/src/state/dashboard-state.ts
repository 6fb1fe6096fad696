import type { AgentId, Envelope, SessionId, SessionListing } from "../../../src/protocol/index.ts";
import type { SessionView } from "../../../src/view/index.ts";
import type { SessionFolds } from "./session-folds.ts";

/** All that the page draws. Never changed in place. */
export interface DashboardState {
  /** Of this machine; undefined until the server has told. */
  readonly sessions: readonly SessionListing[] | undefined;
  /** The one whose views are open; its team's members come with it. */
  readonly selected: SessionId | undefined;
  /** One per session: the selected one, and those of its team that are logs of their own. */
  readonly views: ReadonlyMap<SessionId, SessionView>;
  readonly folds: ReadonlyMap<SessionId, SessionFolds>;
  /** Of these everything that is stored has been read. */
  readonly caughtUp: ReadonlySet<SessionId>;
  /** Why a session cannot be read. */
  readonly missing: ReadonlyMap<SessionId, string>;
  /** Whose transcript is on the screen: nobody else's is kept. */
  readonly viewedTranscript: ViewedTranscript | undefined;
  /** How many times somebody has looked. */
  readonly transcriptRequests: number;
  readonly connection: Connection;
  readonly toasts: readonly Toast[];
  /** How many there have been. */
  readonly toastCount: number;
  /** The moment that is drawn where it is not now: commands are refused then. */
  readonly replayAt: string | undefined;
}

export interface ViewedTranscript {
  /** Each look has its own: what was asked for at another one is of no use any more. */
  readonly request: number;
  readonly session: SessionId;
  /** Without it the agent that the session is about. */
  readonly agent: AgentId | undefined;
  /** What came while its stored transcript is on its way. */
  readonly streamed: readonly Envelope[];
  /** Why its stored transcript could not be had. */
  readonly problem: string | undefined;
}

export type Connection =
  | { readonly kind: "connecting" }
  | { readonly kind: "open" }
  /** It broke; the page tries again by itself. */
  | { readonly kind: "waiting"; readonly tries: number; readonly delayMs: number }
  /** The server does not know this browser: only the address that it printed helps. */
  | { readonly kind: "refused" };

export interface Toast {
  readonly id: number;
  readonly level: "info" | "error";
  readonly text: string;
}

export const emptyDashboard: DashboardState = {
  sessions: undefined,
  selected: undefined,
  views: new Map(),
  folds: new Map(),
  caughtUp: new Set(),
  missing: new Map(),
  viewedTranscript: undefined,
  transcriptRequests: 0,
  connection: { kind: "connecting" },
  toasts: [],
  toastCount: 0,
  replayAt: undefined,
};
