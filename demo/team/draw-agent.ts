import type { CallId, Event } from "../../src/protocol/index.ts";
import type { Paint } from "../../src/cli/screen.ts";
import type { Column } from "../shared/columns.ts";
import { drawCall, type OpenCall } from "../shared/draw-call.ts";

export interface AgentDrawing {
  /** Its current activity, or undefined if it is idle. */
  readonly activityText: string | undefined;
  /** Draws one event of the agent. Ignores events that do not matter to viewers. */
  onEvent(event: Event): void;
}

/** Draws the activity of one agent of the team: text, calls and mail. */
export function createAgentDrawing(column: Column, paint: Paint): AgentDrawing {
  const open = new Map<CallId, OpenCall>();
  const asked = new Set<CallId>();
  let activityText: string | undefined;

  const drawers: Drawers = {
    "turn.started": () => {
      activityText = "thinks";
    },
    "turn.ended": ({ parts }) => {
      const words = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
      if (words !== "") column.write(words, { mark: "●" });
    },
    "tool.called": ({ callId, name, title }) => {
      open.set(callId, { name, title, wasAsked: asked.has(callId) });
      activityText = title;
    },
    "tool.settled": (settled) => {
      const call = open.get(settled.callId);
      open.delete(settled.callId);
      if (call && (settled.outcome !== "ok" || !drawnByOthers.has(call.name)))
        drawCall(column, paint, { call, settled });
    },
    "mail.sent": ({ to, kind, summary }) => {
      const words = kind === "text" ? summary : mailWords[kind];
      if (words !== undefined) column.write(`${to}: ${words}`, { mark: "→", markStyle: paint.cyan, style: paint.cyan });
    },
    "permission.asked": ({ callId }) => {
      asked.add(callId);
      activityText = "waiting for permission";
    },
    "agent.idle": () => {
      activityText = undefined;
    },
    "session.closed": () => {
      activityText = undefined;
    },
    "turn.failed": ({ failure }) => {
      if (failure.kind !== "aborted")
        column.write(failure.message, { mark: "✗", markStyle: paint.red, style: paint.red });
    },
  };

  return {
    get activityText() {
      return activityText;
    },
    onEvent(event) {
      (drawers[event.type] as ((event: Event) => void) | undefined)?.(event);
    },
  };
}

/** Events without a drawer are not shown. */
type Drawers = { readonly [T in Event["type"]]?: (event: Extract<Event, { type: T }>) => void };

/** The mail, task or member that these calls create is drawn instead of the call. */
const drawnByOthers: ReadonlySet<string> = new Set(["SendMessage", "TaskCreate", "TaskUpdate", "Agent"]);

const mailWords: Readonly<Record<string, string>> = {
  shutdown_request: "asks it to shut down",
  shutdown_approved: "agrees to shut down",
};
