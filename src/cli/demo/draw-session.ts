import { type AgentId, type CallId, type Envelope, type Event, leadPath } from "../../protocol/index.ts";
import type { Screen } from "../screen.ts";
import { type Column, createColumn } from "./column.ts";
import { drawCall, drawEvidence, type OpenCall } from "./draw-call.ts";

interface Agent extends Column {
  /** What it does now; undefined when it has nothing to do. */
  doing: string | undefined;
}

/** Draws what the agents of a session do, event by event: what each has done stays, what each is doing passes. */
export function drawSession(screen: Screen): (envelope: Envelope) => void {
  const { paint } = screen;
  const colors = [paint.magenta, paint.blue, paint.yellow];
  const agents = new Map<AgentId, Agent>();
  const open = new Map<CallId, OpenCall & { readonly starts: string | undefined }>();
  const asked = new Set<CallId>();
  /** The lead is in the middle of a sentence: the line is not free. */
  let speaking = false;

  const meet = (id: AgentId, { path }: { path: string }): Agent => {
    const isLead = path === leadPath;
    const style = isLead ? paint.bold : (colors[(agents.size - 1) % colors.length] ?? paint.magenta);
    const column = createColumn(screen, { name: path.split("/").at(-1) ?? path, style, isLead });
    const agent = { ...column, doing: undefined };
    agents.set(id, agent);
    return agent;
  };
  const named = (name: string | undefined) => [...agents.values()].find((agent) => agent.name === name);

  const drawers: Drawers = {
    "text.delta": ({ text }, agent) => {
      if (!agent.isLead) return;
      speaking = true;
      screen.words(text);
    },
    "turn.started": (_, agent) => {
      agent.doing = "thinks";
    },
    "turn.ended": ({ parts }, agent) => {
      if (agent.isLead) return;
      const words = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
      if (words !== "") agent.say(words, { mark: "●", markStyle: agent.style });
    },
    "tool.called": ({ callId, name, title, input }, agent) => {
      const starts = name === "Agent" ? (input as { name?: string }).name : undefined;
      open.set(callId, { name, title, asked: asked.has(callId), starts });
      agent.doing = name === "Agent" ? undefined : title;
    },
    "tool.settled": (settled, agent) => {
      const call = open.get(settled.callId);
      open.delete(settled.callId);
      if (!call) return;
      const started = named(call.starts);
      if (started) drawEvidence(started, paint, settled);
      else drawCall(agent, paint, { call, settled });
    },
    "agent.idle": (_, agent) => {
      agent.doing = undefined;
    },
    "permission.asked": ({ question, callId }, agent) => {
      asked.add(callId);
      agent.say(question, { mark: "?", markStyle: paint.yellow, style: paint.yellow });
    },
    "permission.settled": ({ behavior }, agent) =>
      agent.below(`the demo answers: ${behavior === "allow" ? "yes" : "no"}`, paint.bold),
    "turn.failed": ({ failure }, agent) =>
      agent.say(failure.message, { mark: "✗", markStyle: paint.red, style: paint.red }),
    "notice.raised": ({ message }, agent) =>
      agent.say(message, { mark: "!", markStyle: paint.yellow, style: paint.yellow }),
    "agent.spawned": ({ worktree, description }, agent) => {
      if (!agent.isLead) agent.say(`${description ?? ""}, on ${worktree?.branch ?? "main"}`, begins(agent));
    },
  };
  const begins = ({ style }: Agent) => ({ mark: "▶", markStyle: style });

  return ({ agent: id, event }) => {
    const agent = agents.get(id) ?? (event.type === "agent.spawned" ? meet(id, event) : undefined);
    if (!agent) return;
    const draw = drawers[event.type] as ((event: Event, agent: Agent) => void) | undefined;
    if (!draw) return;
    if (speaking && drawsLines(event.type)) {
      screen.endWords();
      speaking = false;
    }
    draw(event, agent);
    if (!speaking) showDoing(screen, [...agents.values()]);
  };
}

/** What has no drawer is not shown. */
type Drawers = { readonly [T in Event["type"]]?: (event: Extract<Event, { type: T }>, agent: Agent) => void };

const drawsLines = (type: Event["type"]) => type !== "text.delta" && type !== "turn.started" && type !== "agent.idle";

/** The agents side by side on one line that passes. */
function showDoing(screen: Screen, agents: readonly Agent[]): void {
  const busy = agents.filter(({ doing }) => doing !== undefined);
  if (busy.length === 0) return;
  const each = Math.max(8, Math.floor((screen.width - 4) / busy.length) - 3);
  const texts = busy.map(({ name, doing = "" }) => {
    const text = `${name}: ${doing}`;
    return text.length > each ? `${text.slice(0, each - 1)}…` : text;
  });
  screen.passing(`  … ${texts.join(" · ")}`);
}
