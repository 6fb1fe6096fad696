import { escapeMarkup } from "./escape-markup.ts";

/** Work that outlives a compaction. */
export interface StillThere {
  readonly running: readonly { readonly id: string; readonly kind: "shell" | "agent"; readonly description: string }[];
  /** Agents at rest that can be sent on. */
  readonly resting: readonly { readonly name: string; readonly description: string }[];
  /** Teams, their members and open tasks, a line each. */
  readonly team?: readonly string[];
}

const shown = 40;

/** Stands after a summary: what the summary may have forgotten, and the runtime has not. Undefined where there is nothing. */
export function stillThere({ running, resting, team = [] }: StillThere): string | undefined {
  if (running.length === 0 && resting.length === 0 && team.length === 0) return undefined;
  const lines = (items: readonly string[]) =>
    items.length <= shown ? items : [...items.slice(-shown), `- and ${items.length - shown} more before these`];
  const kinds = { shell: "command", agent: "agent" };
  return [
    "<still-there>",
    ...(running.length === 0
      ? []
      : [
          "Running in the background at this moment; you will be told when each has ended, and do not need to start it again:",
          ...lines(running.map(({ id, kind, description }) => `- ${kinds[kind]} ${id}: ${line(description)}`)),
        ]),
    ...(resting.length === 0
      ? []
      : [
          "Agents of yours that have finished, and go on from where they were with SendMessage:",
          ...lines(resting.map(({ name, description }) => `- ${line(name)}: ${line(description)}`)),
        ]),
    ...lines(team.map(line)),
    "</still-there>",
  ].join("\n");
}

const line = (text: string) => escapeMarkup(text.replace(/\s+/g, " ").slice(0, 200));
