import { type Envelope, leadPath, withoutStop } from "../protocol/index.ts";
import { visibleText } from "../view/index.ts";
import { createProgressLines } from "./progress-lines.ts";
import { openWorkLine, type RunResult } from "./run-result.ts";

export type OutputFormat = "text" | "json" | "stream-json";

/** Prints a run: only the answer, one result object, or every event and then the result object. */
export interface Printer {
  event(envelope: Envelope): void;
  note(text: string): void;
  problem(text: string): void;
  finish(result: RunResult): void;
}

export interface PrinterOptions {
  readonly output: OutputFormat;
  /** `short`: for a person who waits. `full`: each turn and call with its outcome. */
  readonly progress: "none" | "short" | "full";
  readonly write: (text: string) => void;
  readonly writeError: (text: string) => void;
}

export function createPrinter({ output, progress, write, writeError }: PrinterOptions): Printer {
  const writeLine = (text: string) => writeError(`troupe: ${visibleText(text)}\n`);
  const said = new Set<string>();
  const names = new Map<string, string>();
  const shortLine = createProgressLines();
  return {
    event(envelope) {
      const { event } = envelope;
      if (event.type === "agent.spawned") names.set(envelope.agent, event.path === leadPath ? "" : `[${event.path}] `);
      if (output === "stream-json") return write(`${JSON.stringify(envelope)}\n`);
      const line = progress === "full" ? progressLine(envelope) : warningLine(envelope);
      if (line) return writeLine(`${names.get(envelope.agent) ?? ""}${line}`);
      const short = progress === "short" && output === "text" ? shortLine(envelope) : undefined;
      if (short !== undefined) writeLine(short);
    },
    note: (text) => {
      if (output !== "stream-json") writeLine(text);
    },
    problem(text) {
      said.add(text);
      writeLine(text);
    },
    finish(result) {
      if (result.error !== undefined && !said.has(result.error)) writeLine(result.error);
      const open = openWorkLine(result);
      if (open !== undefined) writeLine(open);
      if (output !== "text") write(`${JSON.stringify(result)}\n`);
      if (output === "text" && result.result !== "")
        write(result.result.endsWith("\n") ? result.result : `${result.result}\n`);
    },
  };
}

/** Returns messages that the user should see even without `--verbose`. */
function warningLine({ event }: Envelope): string | undefined {
  switch (event.type) {
    case "turn.retried":
      return `${withoutStop(event.failure.message)}; retrying in ${seconds(event.delayMs)} (attempt ${event.attempt})`;
    case "turn.waiting":
      return `waiting: ${event.reason}`;
    case "notice.raised":
      return event.level === "info" ? undefined : event.message;
    case "context.compacted":
      return "older turns were replaced by a summary";
    default:
      return undefined;
  }
}

function progressLine(envelope: Envelope): string | undefined {
  const { event } = envelope;
  switch (event.type) {
    case "turn.started":
      return `turn ${event.turn}, ${event.model}`;
    case "tool.called":
      return `  ${event.title}`;
    case "tool.settled":
      return event.outcome === "ok" ? undefined : `  ${event.outcome}: ${firstLine(event.content)}`;
    case "permission.asked":
      return `  asks: ${event.question}`;
    case "mcp.changed":
      return `MCP server ${event.server}: ${event.state}${event.state === "connected" ? `, ${event.tools} tools` : ""}${event.error === undefined ? "" : `: ${event.error}`}`;
    case "hook.ran":
      return `  hook ${event.hook} ${event.outcome} in ${event.durationMs} ms: ${event.command}`;
    default:
      return warningLine(envelope);
  }
}

const seconds = (ms: number) => `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;

function firstLine(content: readonly { type: string; text?: string }[]): string {
  const text = content.find((part) => part.type === "text")?.text ?? "";
  return text.split("\n", 1)[0] ?? "";
}
