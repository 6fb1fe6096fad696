import type { RequestId } from "../../protocol/index.ts";
import type { SessionView } from "../session/session-view.ts";
import type { ActivityRow } from "../activity/activity-row.ts";
import type { Self, TeamContext } from "./team-context.ts";

/** All that a face has on its mind: the session's view, and what is only about looking at it. Never changed in place. */
export interface AppState {
  readonly session: SessionView;
  readonly activityRows: ReadonlyMap<string, ActivityRow>;
  /** The task whose transcript is looked at; undefined: the lead's. It says nothing about who is working. */
  readonly viewing: string | undefined;
  readonly viewSelectionMode: "none" | "selecting-agent" | "viewing-agent";
  readonly expandedView: "none" | "tasks" | "teammates";
  /** What is chosen below the prompt, if anything is. */
  readonly footerSelection: string | undefined;
  /** -1 the pill, 0 the lead, then the agents. */
  readonly coordinatorTaskIndex: number;
  readonly selectedTeammateIndex: number;
  readonly showTeammateMessagePreview: boolean;
  readonly teamContext: TeamContext | undefined;
  /** Who this session is in a team, as it was started. */
  readonly self: Self | undefined;
  /** Name → the id of its task. */
  readonly agentNameRegistry: ReadonlyMap<string, string>;
  readonly dialog: Dialog;
  /** Of the face's own, oldest first; what agents raise is in `session.notices`. */
  readonly notices: readonly AppNotice[];
}

/** One at a time is open. */
export type Dialog =
  | { readonly kind: "none" }
  | { readonly kind: "permission"; readonly requestId: RequestId }
  | { readonly kind: "background" }
  | { readonly kind: "help" }
  /** Read whole, beginning so many pages before the end. */
  | { readonly kind: "transcript"; readonly back: number }
  | { readonly kind: "agents" }
  | { readonly kind: "team" }
  | { readonly kind: "model" }
  | { readonly kind: "cost" }
  | { readonly kind: "permissions" }
  | { readonly kind: "mcp" }
  | { readonly kind: "hooks" }
  | { readonly kind: "resume" }
  | { readonly kind: "confirm-leave" };

export interface AppNotice {
  readonly id: number;
  readonly level: "info" | "warning" | "error";
  readonly text: string;
  /** Shown until then; undefined: until something else is. */
  readonly until: number | undefined;
}
