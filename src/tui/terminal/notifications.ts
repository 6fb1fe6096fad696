import { type AppState, leadOf, requestText, visibleLine } from "../../view/index.ts";

/** `all`: title, bell and desktop notification. `title`: only the title of the window. */
export type Notify = "all" | "title" | "off";

/** The state of the work, for a user who does not look at the screen. */
type Condition = "idle" | "working" | "question" | "done" | "failed";

export interface NotificationOptions {
  readonly notify: Notify;
  readonly write: (text: string) => void;
}

/**
 * Returns a function to call after each change of the state. It sets the title of the terminal, and rings when the lead
 * is done, has failed or waits for an answer.
 */
export function createNotifications({ notify, write }: NotificationOptions): (state: AppState) => void {
  let before: Condition = "idle";
  let title = "";
  return (state) => {
    if (notify === "off") return;
    const condition = conditionOf(state, before);
    const next = titleOf(state, condition);
    if (next !== title) write(`\x1b]0;${next}\x07`);
    title = next;
    if (condition !== before && notify === "all" && isNews(condition)) write(ring(textOf(state, condition)));
    before = condition;
  };
}

const isNews = (condition: Condition) => condition === "question" || condition === "done" || condition === "failed";

function conditionOf({ session }: AppState, before: Condition): Condition {
  if (session.questions.length > 0) return "question";
  const status = leadOf(session)?.status;
  if (status?.kind === "running" || status?.kind === "waiting") return "working";
  if (status?.kind !== "idle" || before === "idle") return "idle";
  return status.reason === "failed" || status.reason === "limit"
    ? "failed"
    : status.reason === "completed"
      ? "done"
      : "idle";
}

const signs: Readonly<Record<Condition, string>> = {
  idle: "",
  working: "… ",
  question: "? ",
  done: "✓ ",
  failed: "✗ ",
};

function titleOf({ session }: AppState, condition: Condition): string {
  const folder = visibleLine(session.cwd.split("/").at(-1) ?? "");
  return `${signs[condition]}Troupe${folder === "" ? "" : ` · ${folder}`}`;
}

function textOf({ session }: AppState, condition: Condition): string {
  const [question] = session.questions;
  if (condition === "question" && question) return `waits for you: an agent ${visibleLine(requestText(question))}`;
  return condition === "failed" ? "failed" : "done";
}

/** The bell, and a desktop notification in the two forms that terminals know. A terminal ignores the other form. */
const ring = (text: string): string => {
  const words = text.replaceAll(";", ",");
  return `\x07\x1b]9;Troupe: ${words}\x07\x1b]777;notify;Troupe;${words}\x07`;
};
