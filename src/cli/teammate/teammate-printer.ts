import { type AgentId, type Envelope, teamLead } from "../../protocol/index.ts";
import { answerText } from "../../view/index.ts";
import type { Screen, Style } from "../screen.ts";

/** What a pane shows of the teammate that runs in it, as it happens. */
export function createTeammatePrinter(screen: Screen): (envelope: Envelope) => void {
  const { paint } = screen;
  const plain: Style = (text) => text;
  /** The agents that it has started itself; what they say is the teammate's to use. */
  const others = new Map<AgentId, string>();
  const printText = (mark: string, text: string, style: Style = plain) =>
    screen.paragraph(shortened(text), { first: `${mark} `, style });

  return ({ agent, event }) => {
    if (event.type === "agent.spawned" && event.parent !== undefined)
      others.set(agent, event.path.split("/").at(-1) ?? "agent");
    const other = others.get(agent);
    if (other !== undefined) {
      if (event.type === "tool.called") screen.line(`  [${other}] ${event.title}`, paint.dim);
      return;
    }
    const answer = answerText(event);
    if (answer !== undefined && answer.trim() !== "") printText("●", answer);
    switch (event.type) {
      case "mail.received":
        return screen.line(`← ${event.from}: ${event.summary ?? kindLabels(event.kind)}`, paint.cyan);
      case "mail.sent":
        return screen.line(`→ ${event.to}: ${event.summary ?? kindLabels(event.kind)}`, paint.cyan);
      case "task.claimed":
        return screen.line(`# task ${event.taskId} is mine: ${event.subject}`, paint.green);
      case "task.updated":
        if (event.status === undefined) return;
        return screen.line(`# task ${event.taskId}: ${event.status.replace("_", " ")}`, paint.green);
      case "tool.called":
        return screen.line(`  ${event.title}`, paint.dim);
      case "tool.settled":
        if (event.outcome === "ok") return;
        return screen.line(`  ${event.outcome}: ${firstLine(event.content)}`, paint.yellow);
      case "permission.asked":
        return printText("?", `asks ${teamLead}: ${event.question}`, paint.yellow);
      case "permission.settled":
        return screen.line(`? ${event.behavior === "allow" ? "allowed" : "denied"}`, paint.yellow);
      case "turn.failed":
        return printText("!", event.failure.message, paint.red);
      case "turn.retried":
        return screen.line(`! ${event.failure.message}; trying again`, paint.yellow);
      case "turn.waiting":
        return screen.line(`  waiting: ${event.reason}`, paint.dim);
      case "context.compacted":
        return screen.line("  the conversation was long: older turns are now a summary", paint.dim);
      case "notice.raised":
        if (event.level === "info" || answer !== undefined) return;
        return printText("!", event.message, event.level === "error" ? paint.red : paint.yellow);
      case "agent.idle":
        return screen.line(event.reason === "completed" ? "· waits" : `· waits (${event.reason})`, paint.dim);
      default:
        return;
    }
  };
}

const kindLabels = (kind: string) => kind.replaceAll("_", " ");

function firstLine(content: readonly { type: string; text?: string }[]): string {
  const text = content.find((part) => part.type === "text")?.text ?? "";
  return text.split("\n", 1)[0] ?? "";
}

/** A pane is for looking on; `troupe sessions show` has the whole. */
function shortened(text: string): string {
  const lines = text.trim().split("\n");
  if (lines.length <= maxLines) return lines.join("\n");
  return [...lines.slice(0, maxLines), `… and ${lines.length - maxLines} more lines`].join("\n");
}

const maxLines = 60;
