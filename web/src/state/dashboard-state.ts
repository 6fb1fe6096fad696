import type { AgentId, Envelope, SessionId, SessionListing, SessionSummary } from "../../../src/protocol/index.ts";
import type { SessionView } from "../../../src/view/index.ts";
import type { SessionFolds } from "./session-folds.ts";

/** Everything the page draws. Immutable. */
export interface DashboardState {
  /** The sessions of this machine; undefined until the server has sent them. */
  readonly sessions: readonly SessionListing[] | undefined;
  /** How far each session is, for the list. The server sends them while the list is open. */
  readonly summaries: ReadonlyMap<SessionId, SessionSummary>;
  /** The session whose views are open; the members of its team are loaded with it. */
  readonly selected: SessionId | undefined;
  /** One view for each session: the selected one, and those of its team with their own log. */
  readonly views: ReadonlyMap<SessionId, SessionView>;
  readonly folds: ReadonlyMap<SessionId, SessionFolds>;
  /** The sessions whose stored events are all loaded. */
  readonly caughtUp: ReadonlySet<SessionId>;
  /** Why a session cannot be read. */
  readonly missing: ReadonlyMap<SessionId, string>;
  /** The displayed transcript. Others are not kept. */
  readonly viewedTranscript: ViewedTranscript | undefined;
  /** Number of transcript requests so far. */
  readonly transcriptRequests: number;
  readonly connection: Connection;
  readonly toasts: readonly Toast[];
  /** Number of toasts so far. */
  readonly toastCount: number;
  /** The displayed time of a replay. Commands are refused there. */
  readonly replayAt: string | undefined;
}

export interface ViewedTranscript {
  /** Identifies the request: answers to older requests are ignored. */
  readonly request: number;
  readonly session: SessionId;
  /** Default: the session's own agent. */
  readonly agent: AgentId | undefined;
  /** Events that arrived while the stored transcript is loading. */
  readonly streamed: readonly Envelope[];
  /** Why the stored transcript could not be loaded. */
  readonly problem: string | undefined;
}

export type Connection =
  | { readonly kind: "connecting" }
  | { readonly kind: "open" }
  /** The connection broke; the page retries automatically. */
  | { readonly kind: "waiting"; readonly tries: number; readonly delayMs: number }
  /** The server does not accept this browser: the user must open the printed address. */
  | { readonly kind: "refused" };

export interface Toast {
  readonly id: number;
  readonly level: "info" | "error";
  readonly text: string;
}

export const emptyDashboard: DashboardState = {
  sessions: undefined,
  summaries: new Map(),
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
