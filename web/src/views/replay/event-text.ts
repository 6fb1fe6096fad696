import type { Envelope } from "../../../../src/protocol/index.ts";

/** An event in one line: its type and subject. */
export function eventText({ event }: Envelope): string {
  const about = subjectText(event);
  return about === "" ? event.type : `${event.type}: ${about.slice(0, 160)}`;
}

function subjectText(event: Envelope["event"]): string {
  switch (event.type) {
    case "tool.called":
      return event.title;
    case "tool.settled":
      return event.outcome;
    case "permission.asked":
      return event.question;
    case "permission.settled":
      return event.behavior;
    case "agent.spawned":
      return event.path;
    case "agent.idle":
      return event.reason;
    case "agent.stopped":
      return event.outcome;
    case "agent.summarized":
      return event.text;
    case "turn.started":
      return `turn ${event.turn}`;
    case "turn.ended": {
      const words = event.parts.find((part) => part.type === "text");
      return words?.text ?? `turn ${event.turn}`;
    }
    case "mail.sent":
      return `to ${event.to}${event.summary === undefined ? "" : `, ${event.summary}`}`;
    case "mail.received":
      return `from ${event.from}${event.summary === undefined ? "" : `, ${event.summary}`}`;
    case "member.joined":
    case "member.changed":
      return event.name;
    case "task.created":
    case "task.claimed":
      return `#${event.taskId} ${event.subject}`;
    case "task.updated":
      return `#${event.taskId} ${event.status ?? ""}`;
    case "task.changed":
      return `#${event.task.id} ${event.task.status}`;
    case "notice.raised":
      return event.message;
    case "prompt.admitted":
      return event.source;
    default:
      return "";
  }
}
