import type { RequestId } from "../../protocol/index.ts";
import type { SessionView } from "../session/session-view.ts";
import type { ActivityRow } from "../activity/activity-row.ts";
import type { Self, TeamContext } from "./team-context.ts";

/** The whole state of a frontend: the session's view, and the state of the display. Immutable. */
export interface AppState {
  readonly session: SessionView;
  readonly activityRows: ReadonlyMap<string, ActivityRow>;
  /** The row whose transcript is in view; undefined for the lead. Says nothing about who is working. */
  readonly viewing: string | undefined;
  readonly viewSelectionMode: "none" | "selecting-agent" | "viewing-agent";
  /** `auto`: tasks are shown while some are open. */
  readonly expandedView: "auto" | "none" | "tasks" | "teammates";
  /** The selected entry below the prompt, if any. */
  readonly footerSelection: string | undefined;
  /** -1 is the pill, 0 the lead, then the agents. */
  readonly coordinatorTaskIndex: number;
  readonly selectedTeammateIndex: number;
  readonly showTeammateMessagePreview: boolean;
  readonly teamContext: TeamContext | undefined;
  /** The role of this session in a team, as it was started. */
  readonly self: Self | undefined;
  /** From a name to the id of its row. */
  readonly agentNameRegistry: ReadonlyMap<string, string>;
  readonly dialog: Dialog;
  /**
   * How the user uses the prompt. A question opens by itself only over an idle prompt. `left`: the text was sent or
   * deleted while a question waited, so the user has not seen that question yet.
   */
  readonly promptUse: "idle" | "typing" | "left";
  /** The frontend's own notices, oldest first. Notices of agents are in `session.notices`. */
  readonly notices: readonly AppNotice[];
}

/** Only one dialog is open at a time. */
export type Dialog =
  | { readonly kind: "none" }
  /** `openedBy`: the user asked for the question, or it opened by itself. */
  | { readonly kind: "permission"; readonly requestId: RequestId; readonly openedBy: "user" | "event" }
  | { readonly kind: "background" }
  | { readonly kind: "help" }
  /** The full-screen transcript, starting this number of pages before the end. */
  | { readonly kind: "transcript"; readonly back: number }
  | { readonly kind: "agents" }
  | { readonly kind: "team" }
  | { readonly kind: "model" }
  | { readonly kind: "cost" }
  | { readonly kind: "permissions" }
  | { readonly kind: "mcp" }
  | { readonly kind: "hooks" }
  | { readonly kind: "resume" }
  | { readonly kind: "trust" }
  | { readonly kind: "rewind" }
  /** The changed files: of the session, of the last prompt (`last`), or of an agent. */
  | { readonly kind: "diff"; readonly of: string }
  | { readonly kind: "confirm-leave" };

export interface AppNotice {
  readonly id: number;
  readonly level: "info" | "success" | "warning" | "error";
  readonly text: string;
  /** Shown until this time; undefined: until replaced. */
  readonly until: number | undefined;
}
