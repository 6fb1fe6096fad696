import { cut, type Envelope, type Event, teamLead } from "../../src/protocol/index.ts";
import type { Screen } from "../../src/cli/screen.ts";
import { memberStyle } from "../../src/cli/team/command-output.ts";
import { type AgentDrawing, createAgentDrawing } from "./draw-agent.ts";
import { type Column, createColumns } from "../shared/columns.ts";
import { createTaskDrawing } from "./draw-task.ts";
import { agentTypes } from "./script/agent-types.ts";

export interface TeamDrawing {
  /** Draws an event of the lead's session. */
  lead(envelope: Envelope): void;
  /** Draws an event of a member's log. */
  member(name: string, envelope: Envelope): void;
  /** Draws an action of the demo itself. */
  report(text: string): void;
}

type MemberChanged = Extract<Event, { type: "member.changed" }>;

/** Draws a team at work. Finished actions stay on the screen; a passing line shows the current activity. */
export function drawTeam(screen: Screen): TeamDrawing {
  const { paint } = screen;
  const createColumn = createColumns(screen);
  const columns = new Map<string, Column>();
  const agents = new Map<string, AgentDrawing>();
  const states = new Map<string, MemberChanged["state"]>();

  const columnOf = (name: string): Column => {
    const shown = name === teamLead ? "lead" : name;
    const color = name in agentTypes ? agentTypes[name as keyof typeof agentTypes].color : undefined;
    const column = columns.get(shown) ?? createColumn(shown, memberStyle(screen, color));
    columns.set(shown, column);
    return column;
  };
  const agentOf = (name: string): AgentDrawing => {
    const agent = agents.get(name) ?? createAgentDrawing(columnOf(name), paint);
    agents.set(name, agent);
    return agent;
  };
  const drawTask = createTaskDrawing(paint, columnOf);
  const demo = createColumn("demo", paint.bold);

  const drawMember = ({ name, state, detail, backendType }: MemberChanged) => {
    const before = states.get(name);
    states.set(name, state);
    if (name === teamLead || before === state) return;
    const column = columnOf(name);
    if (before === undefined) {
      const where = backendType === "tmux" ? "in a separate process" : "in this process";
      column.write(`joins, ${where}`, { mark: "▶" });
    } else if (before === "ended") column.write("is back and continues from its transcript", { mark: "▶" });
    else if (state === "ended") column.write(`has ended${detail === undefined ? "" : `: ${detail}`}`, { mark: "■" });
  };

  const drawLead = ({ event }: Envelope) => {
    if (event.type === "member.changed") return drawMember(event);
    if (event.type === "task.changed") return drawTask(event.task);
    if (event.type === "permission.asked" && event.member)
      return columnOf(event.member.name).write(`asks: ${event.question}`, {
        mark: "?",
        markStyle: paint.yellow,
        style: paint.yellow,
      });
    if (event.type === "permission.settled")
      return demo.write(`answers: ${event.behavior === "allow" ? "yes, once" : "no"}`, { mark: "!" });
    agentOf(teamLead).onEvent(event);
  };

  const showActivity = () => {
    const busy = [...agents].flatMap(([name, { activityText: doing }]) =>
      doing === undefined ? [] : [{ name, doing }],
    );
    if (busy.length > 0) screen.transientLine(`  … ${sideBySide(busy, screen.width - 4)}`);
  };

  return {
    lead(envelope) {
      drawLead(envelope);
      showActivity();
    },
    member(name, { event }) {
      agentOf(name).onEvent(event);
      showActivity();
    },
    report: (text) => demo.write(text, { mark: "!", style: paint.bold }),
  };
}

function sideBySide(busy: readonly { name: string; doing: string }[], width: number): string {
  const each = Math.max(8, Math.floor(width / busy.length) - 3);
  const texts = busy.map(({ name, doing }) => `${name === teamLead ? "lead" : name}: ${doing}`);
  return texts.map((text) => cut(text, each)).join(" · ");
}
