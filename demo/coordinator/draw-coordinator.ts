import { type AgentId, type CallId, type Envelope, type Event, leadPath } from "../../src/protocol/index.ts";
import type { Screen } from "../../src/cli/screen.ts";
import { type Column, createColumns } from "../shared/columns.ts";
import { drawCall, type OpenCall } from "../shared/draw-call.ts";

/** Draws a coordinator's text and its workers' actions, event by event. */
export function drawCoordinator(screen: Screen): (envelope: Envelope) => void {
  const { paint } = screen;
  const colors = [paint.magenta, paint.blue, paint.yellow];
  const columnOf = createColumns(screen);
  const agents = new Map<AgentId, Column>();
  const open = new Map<CallId, OpenCall>();
  let scratchpad: string | undefined;
  /** Shortens a title: the scratchpad's path is long, and the text before a call already tells the message. */
  const shortened = (title: string) =>
    (scratchpad === undefined ? title : title.replaceAll(scratchpad, "SCRATCHPAD")).replace(
      /^(SendMessage to \w+):.*$/s,
      "$1",
    );

  const addAgent = (id: AgentId, path: string): Column => {
    const style = path === leadPath ? paint.bold : (colors[(agents.size - 1) % colors.length] ?? paint.magenta);
    const column = columnOf(path.split("/").at(-1) ?? path, style);
    agents.set(id, column);
    return column;
  };

  const drawers: Drawers = {
    "agent.spawned": ({ description, agentType, parent }, agent) => {
      if (parent !== undefined) agent.write(`${description ?? ""} (${agentType})`, { mark: "▶" });
    },
    "turn.ended": ({ parts }, agent) => {
      const textLine = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
      if (textLine !== "") agent.write(textLine, { mark: "●" });
    },
    "context.composed": ({ system }) => {
      scratchpad ??= /Scratchpad: (.+?) is a folder/.exec(system.join("\n"))?.[1];
    },
    "tool.called": ({ callId, name, title }) =>
      void open.set(callId, { name, title: shortened(title), wasAsked: false }),
    "tool.settled": (settled, agent) => {
      const call = open.get(settled.callId);
      open.delete(settled.callId);
      // An agent that was started is drawn by its own `agent.spawned` event.
      if (call && (call.name !== "Agent" || settled.outcome !== "ok")) drawCall(agent, paint, { call, settled });
    },
    "prompt.admitted": ({ source, parts }) => {
      if (source !== "background") return;
      const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
      const find = (pattern: RegExp) => pattern.exec(text)?.[1] ?? "?";
      const status = find(/<status>(\w+)</);
      const used = `${find(/tool calls: (\d+)/)} calls, ${find(/duration: ([\d.]+ s)/)}`;
      agents.get(find(/<agent-id>(\w+)</) as AgentId)?.write(`task-notification to the lead: ${status}, ${used}`, {
        mark: "■",
        markStyle: status === "completed" ? paint.green : paint.red,
      });
    },
    "turn.failed": ({ failure }, agent) =>
      agent.write(failure.message, { mark: "✗", markStyle: paint.red, style: paint.red }),
    "notice.raised": ({ message }, agent) =>
      agent.write(message, { mark: "!", markStyle: paint.yellow, style: paint.yellow }),
  };

  return ({ agent: id, event }) => {
    const agent = agents.get(id) ?? (event.type === "agent.spawned" ? addAgent(id, event.path) : undefined);
    const draw = drawers[event.type] as ((event: Event, agent: Column) => void) | undefined;
    if (agent && draw) draw(event, agent);
  };
}

/** Events without a drawer are not shown. */
type Drawers = { readonly [T in Event["type"]]?: (event: Extract<Event, { type: T }>, agent: Column) => void };
