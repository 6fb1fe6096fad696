import type { CallId, Event } from "../../src/protocol/index.ts";
import type { Paint } from "../../src/cli/screen.ts";
import type { Column } from "../shared/columns.ts";
import { drawCall, type OpenCall } from "../shared/draw-call.ts";

export interface AgentDrawing {
  /** What it does now; undefined when it has nothing to do. */
  readonly activityText: string | undefined;
  /** Draws what has happened to it; nothing for what is of no interest. */
  onEvent(event: Event): void;
}

/** Draws what one agent of the team does: its words, calls and mail. */
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
      activityText = "waits for permission";
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

/** What has no drawer is not shown. */
type Drawers = { readonly [T in Event["type"]]?: (event: Extract<Event, { type: T }>) => void };

/** What they do is told by the mail, the task or the member that they are about. */
const drawnByOthers: ReadonlySet<string> = new Set(["SendMessage", "TaskCreate", "TaskUpdate", "Agent"]);

const mailWords: Readonly<Record<string, string>> = {
  shutdown_request: "asks it to end",
  shutdown_approved: "agrees to end",
};
