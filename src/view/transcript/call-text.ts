import { oneLine, withoutStop } from "../../protocol/index.ts";
import type { CallItem } from "./transcript-item.ts";

/** Returns what a call does, for people: paths are relative to the folder, and ids are left out. */
export function callTitle(call: CallItem, cwd: string): string {
  const own = titles[call.name]?.(fieldsOf(call.input));
  if (own !== undefined) return own;
  return relativePaths(call.title === "" || call.title === call.name ? untitled(call) : call.title, cwd);
}

type Fields = Readonly<Record<string, unknown>>;

const titles: Readonly<Record<string, (input: Fields) => string | undefined>> = {
  Agent: ({ name, subagent_type: type, description, prompt }) => {
    const about = text(description).trim() || oneLine(text(prompt)).slice(0, 80);
    const who = text(name) || text(type);
    return `Agent${who === "" ? "" : ` ${who}`}: ${about}`;
  },
  TaskCreate: ({ subject }) => `New task: ${text(subject)}`,
  TaskUpdate: ({ taskId, status }) =>
    `Task #${text(taskId)}${text(status) === "" ? " changed" : `: ${text(status).replaceAll("_", " ")}`}`,
  TaskGet: ({ taskId }) => `Task #${text(taskId)}`,
  TaskList: () => "Task list",
  TaskOutput: () => "Output of a background job",
  TaskStop: () => "Stop a background job",
  SendMessage: ({ to, message, summary }) => {
    const about = text(summary) || oneLine(text(message)).slice(0, 80);
    return `Message to ${text(to)}${about === "" ? "" : `: ${about}`}`;
  },
  TeamCreate: ({ team_name: name }) => (text(name) === "" ? undefined : `Create team ${text(name)}`),
};

/** Builds a title for a call that never started. */
function untitled({ name, input }: CallItem): string {
  const about = Object.entries(fieldsOf(input)).find(
    ([key, value]) => descriptive.includes(key) && typeof value === "string",
  );
  if (!about) return name;
  return about[0] === "command" ? `$ ${String(about[1])}` : `${name} ${String(about[1])}`;
}

const descriptive: readonly string[] = ["command", "file_path", "pattern", "url", "skill", "description", "to"];

/** Shortens absolute paths in a folder. */
export function relativePaths(words: string, cwd: string): string {
  if (cwd === "" || cwd === "/") return words;
  return words.replaceAll(`${cwd}/`, "").replaceAll(` in ${cwd}`, "");
}

/**
 * Returns the result of a call in words for people, where its content is written for the model. Undefined if the content
 * is for both.
 */
export function callNote(call: CallItem): string | undefined {
  const content = call.result?.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n") ?? "";
  switch (call.state) {
    case "asked":
    case "running":
      return undefined;
    case "denied":
      return refusalNote(content);
    case "interrupted":
      return content.startsWith("Unknown outcome") ? "ended with the program; the outcome is unknown" : "interrupted";
    case "failed":
      if (content.startsWith("Not run:")) return firstSentence(content);
      return call.name === "Agent" ? withoutEvidence(content) : failureNote(call.name, content);
    case "ok":
      if (call.name === "Agent") return agentNote(content);
      if (fieldsOf(call.input)["run_in_background"] === true) return "started in the background";
      return notes[call.name];
  }
}

/** The results of these tools only tell the model what to do next. */
const notes: Readonly<Record<string, string>> = {
  SendMessage: "sent",
  TeamCreate: "ready",
  TeamDelete: "deleted",
  TaskStop: "stopped",
};

function refusalNote(content: string): string {
  const [, who, words] = /^The (user|lead of your team) refused this call(?: and says: ([\s\S]*))?/.exec(content) ?? [];
  if (words?.startsWith("The user interrupted")) return "interrupted";
  const refused = who === "lead of your team" ? "refused by the lead" : "refused";
  if (who !== undefined) return words === undefined ? refused : `${refused}: ${words}`;
  return firstSentence(content);
}

/** The failures of these tools tell the model what to do instead. Those of other tools are for people too. */
const failureNote = (name: string, content: string): string | undefined =>
  Object.hasOwn(notes, name) || name === "ExitPlanMode" || name.startsWith("Task") ? firstSentence(content) : undefined;

/** The first sentence has the reason. The rest is advice for the model. */
const firstSentence = (content: string): string => withoutStop(/^[\s\S]*?\.(?=\s|$)/.exec(content)?.[0] ?? content);

function agentNote(content: string): string {
  const [, name] = /^Teammate (\S+) \(\S+\) has started/m.exec(content) ?? [];
  if (name !== undefined) return "started";
  if (/^task id: /m.test(content) && content.includes("You are notified when it ends"))
    return "works in the background";
  return withoutEvidence(content);
}

/** Removes what a report has for the model only: the evidence from the log, and the id of the agent. */
export function withoutEvidence(report: string): string {
  return report
    .replace(/(?:^|\n+)What was really done[^\n]*by the log:(?:\n- [^\n]*)*/g, "")
    .replace(/\n+Agent: [^\n]*$/, "")
    .trim();
}

export const fieldsOf = (input: unknown): Fields => (typeof input === "object" && input !== null ? { ...input } : {});

const text = (value: unknown): string =>
  typeof value === "string" ? value : typeof value === "number" ? String(value) : "";
