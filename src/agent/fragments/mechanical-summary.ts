import type { Message } from "../../protocol/index.ts";
import { cutMiddle } from "./kept-context.ts";

const filesShown = 60;
const commandsShown = 30;
const textsShown = 4;
const textLimit = 1_500;
const earlierLimit = 8_000;

/**
 * A summary without a model, for a conversation that the model did not summarise: the earlier summary, the files and
 * commands, and the last words. The messages that gave the agent its work are kept beside every summary.
 */
export function mechanicalSummary(messages: readonly Message[]): string {
  const { read, changed, commands, texts, earlier } = collect(messages);
  return [
    "No usable summary was written, so the program made this list of what you did. Read the files again where you need details.",
    ...(earlier === undefined ? [] : [`The summary of the time before:\n${cutMiddle(earlier, earlierLimit)}`]),
    ...list("Files that you changed, newest last:", changed, filesShown),
    ...list("Files that you read, newest last:", read, filesShown),
    ...list("Commands that you ran, newest last:", commands, commandsShown),
    ...list("Your last words:", texts, textsShown),
  ].join("\n\n");
}

function collect(messages: readonly Message[]) {
  const read = new Set<string>();
  const changed = new Set<string>();
  const commands = new Set<string>();
  const texts: string[] = [];
  let earlier: string | undefined;
  const failed = new Set(
    messages.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === "tool_result" && part.isError ? [part.callId] : [])),
    ),
  );
  for (const { role, parts } of messages) {
    for (const part of parts) {
      if (part.type === "text" && role === "user") earlier = summaryIn(part.text) ?? earlier;
      if (part.type === "text" && role === "assistant") texts.push(cutMiddle(part.text.trim(), textLimit));
      if (part.type !== "tool_call") continue;
      const path = field(part.input, "file_path");
      const command = field(part.input, "command");
      const hasFailed = failed.has(part.callId);
      if (path !== undefined && !hasFailed) addLast(part.name === "Read" ? read : changed, path);
      if (command !== undefined) addLast(commands, `${oneLine(command)}${hasFailed ? " (failed)" : ""}`);
    }
  }
  return { read: [...read], changed: [...changed], commands: [...commands], texts, earlier };
}

/** Newest last, each once. */
function addLast(set: Set<string>, value: string): void {
  set.delete(value);
  set.add(value);
}

/** The model's own part of an earlier summary. The runtime repeats the rest. */
function summaryIn(text: string): string | undefined {
  const found = /<conversation-summary>\n[^\n]*\n([\s\S]*)<\/conversation-summary>/.exec(text)?.[1];
  return found
    ?.replace(/<earlier-messages>[\s\S]*?<\/earlier-messages>/g, "")
    .replace(/<still-there>[\s\S]*?<\/still-there>/g, "")
    .trim();
}

const list = (heading: string, entries: readonly string[], shown: number): string[] => {
  if (entries.length === 0) return [];
  const more = entries.length > shown ? [`- (${entries.length - shown} older ones are left out)`] : [];
  return [[heading, ...more, ...entries.slice(-shown).map((entry) => `- ${entry}`)].join("\n")];
};

const oneLine = (command: string) => command.replace(/\s+/g, " ").trim().slice(0, 200);

function field(input: unknown, name: string): string | undefined {
  if (typeof input !== "object" || input === null) return undefined;
  const value = (input as Readonly<Record<string, unknown>>)[name];
  return typeof value === "string" ? value : undefined;
}
