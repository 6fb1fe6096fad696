import { type AgentId, type Envelope, teamLead, withoutStop } from "../../protocol/index.ts";
import { answerText } from "../../view/index.ts";
import type { Screen, Style } from "../screen.ts";

/** Prints the events of a teammate in its pane. */
export function createTeammatePrinter(screen: Screen): (envelope: Envelope) => void {
  const { paint } = screen;
  const plain: Style = (text) => text;
  /** The subagents of the teammate. Their text is for the teammate, so only their calls are shown. */
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
        return screen.line(`# claimed task ${event.taskId}: ${event.subject}`, paint.green);
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
        return screen.line(`! ${withoutStop(event.failure.message)}; retrying`, paint.yellow);
      case "turn.waiting":
        return screen.line(`  waiting: ${event.reason}`, paint.dim);
      case "context.compacted":
        return screen.line("  older turns were replaced by a summary", paint.dim);
      case "notice.raised":
        if (event.level === "info" || answer !== undefined) return;
        return printText("!", event.message, event.level === "error" ? paint.red : paint.yellow);
      case "agent.idle":
        return screen.line(event.reason === "completed" ? "· idle" : `· idle (${event.reason})`, paint.dim);
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

/** Shortens long text. `troupe sessions show` prints all of it. */
function shortened(text: string): string {
  const lines = text.trim().split("\n");
  if (lines.length <= maxLines) return lines.join("\n");
  return [...lines.slice(0, maxLines), `… and ${lines.length - maxLines} more lines`].join("\n");
}

const maxLines = 60;
