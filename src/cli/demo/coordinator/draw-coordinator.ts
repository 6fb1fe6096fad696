import { type AgentId, type CallId, type Envelope, type Event, leadPath } from "../../../protocol/index.ts";
import type { Screen } from "../../screen.ts";
import { type Column, createColumn } from "../column.ts";
import { drawCall, type OpenCall } from "../draw-call.ts";

/** Draws what a coordinator says and its workers do, event by event. */
export function drawCoordinator(screen: Screen): (envelope: Envelope) => void {
  const { paint } = screen;
  const colors = [paint.magenta, paint.blue, paint.yellow];
  const agents = new Map<AgentId, Column>();
  const open = new Map<CallId, OpenCall>();
  /** The coordinator is in the middle of a sentence: the line is not free. */
  let speaking = false;

  const meet = (id: AgentId, path: string): Column => {
    const isLead = path === leadPath;
    const style = isLead ? paint.bold : (colors[(agents.size - 1) % colors.length] ?? paint.magenta);
    const column = createColumn(screen, { name: path.split("/").at(-1) ?? path, style, isLead });
    agents.set(id, column);
    return column;
  };

  const drawers: Drawers = {
    "text.delta": ({ text }, agent) => {
      if (!agent.isLead) return;
      speaking = true;
      screen.words(text);
    },
    "agent.spawned": ({ description, agentType }, agent) => {
      if (!agent.isLead) agent.say(`${description ?? ""} (${agentType})`, { mark: "▶", markStyle: agent.style });
    },
    "turn.ended": ({ parts }, agent) => {
      const words = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
      if (!agent.isLead && words !== "") agent.say(words, { mark: "●", markStyle: agent.style });
    },
    "tool.called": ({ callId, name, title }) => void open.set(callId, { name, title, asked: false }),
    "tool.settled": (settled, agent) => {
      const call = open.get(settled.callId);
      open.delete(settled.callId);
      // What it starts is shown where it begins.
      if (call && (call.name !== "Agent" || settled.outcome !== "ok")) drawCall(agent, paint, { call, settled });
    },
    "prompt.admitted": ({ source, parts }, agent) => {
      if (source !== "background" || !agent.isLead) return;
      const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
      const find = (pattern: RegExp) => pattern.exec(text)?.[1] ?? "?";
      const worker = agents.get(find(/<agent-id>(\w+)</) as AgentId);
      const ok = find(/<status>(\w+)</);
      const used = `${find(/tool calls: (\d+)/)} calls, ${find(/duration: ([\d.]+ s)/)}`;
      worker?.say(`task-notification: ${ok}, ${used}`, {
        mark: "■",
        markStyle: ok === "completed" ? paint.green : paint.red,
      });
    },
    "turn.failed": ({ failure }, agent) =>
      agent.say(failure.message, { mark: "✗", markStyle: paint.red, style: paint.red }),
    "notice.raised": ({ message }, agent) =>
      agent.say(message, { mark: "!", markStyle: paint.yellow, style: paint.yellow }),
  };

  return ({ agent: id, event }) => {
    const agent = agents.get(id) ?? (event.type === "agent.spawned" ? meet(id, event.path) : undefined);
    const draw = drawers[event.type] as ((event: Event, agent: Column) => void) | undefined;
    if (!agent || !draw) return;
    if (speaking && (event.type !== "text.delta" || !agent.isLead)) {
      if (event.type === "text.delta") return;
      screen.endWords();
      speaking = false;
    }
    draw(event, agent);
  };
}

/** What has no drawer is not shown. */
type Drawers = { readonly [T in Event["type"]]?: (event: Extract<Event, { type: T }>, agent: Column) => void };
