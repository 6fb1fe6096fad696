import { type CallId, cut, type Event, oneLine } from "../../protocol/index.ts";

/** The recent activity of an agent, as lines for a small model. Bounded, however long it works. */
export interface ActivityLog {
  observe(event: Event): void;
  /** Grows with every line. */
  readonly count: number;
  readonly turns: number;
  /** Its first and its latest prompt. */
  readonly task: string;
  /** A summary of what came before the lines, by compaction or by a small model. */
  readonly before: string | undefined;
  /** The newest lines, oldest first, of at most `most` characters together. */
  lines(most: number): readonly string[];
  /** The call it runs now. */
  readonly now: string | undefined;
}

const keptLines = 300;

export function createActivityLog(): ActivityLog {
  let lines: string[] = [];
  let count = 0;
  let turns = 0;
  let first: string | undefined;
  let last = "";
  let before: string | undefined;
  const prompts = new Map<string, string>();
  const calls = new Map<CallId, string>();

  const add = (line: string) => {
    count += 1;
    lines.push(line);
    if (lines.length > keptLines * 2) lines = lines.slice(-keptLines);
  };

  return {
    observe(event) {
      switch (event.type) {
        case "prompt.admitted":
          prompts.set(event.promptId, wordsOf(event.parts));
          return;
        case "prompt.promoted": {
          const text = prompts.get(event.promptId) ?? "";
          prompts.delete(event.promptId);
          if (first !== undefined) add(`received: ${cut(oneLine(text), 400)}`);
          first ??= text;
          last = text;
          return;
        }
        case "turn.ended": {
          turns += 1;
          const text = wordsOf(event.parts.flatMap((part) => (part.type === "text" ? [part] : [])));
          if (text.trim() !== "") add(`wrote: ${cut(oneLine(text), 600)}`);
          return;
        }
        case "tool.called":
          calls.set(event.callId, event.title);
          add(`called: ${cut(oneLine(event.title), 200)}`);
          return;
        case "tool.settled": {
          const title = calls.get(event.callId);
          calls.delete(event.callId);
          if (event.outcome !== "ok") add(`${event.outcome}: ${cut(oneLine(title ?? wordsOf(event.content)), 200)}`);
          return;
        }
        case "context.compacted":
          before = event.summary;
          return;
        case "agent.summarized":
          if (event.scope !== "history") return;
          before = event.text;
          lines = [];
          return;
        case "agent.idle":
        case "agent.stopped":
          calls.clear();
          return;
        default:
          return;
      }
    },
    get count() {
      return count;
    },
    get turns() {
      return turns;
    },
    get task() {
      return first === undefined || first === last ? last : `${first}\n\nLatest message:\n${last}`;
    },
    get before() {
      return before;
    },
    lines(most) {
      let size = 0;
      const from = lines.findLastIndex((line) => (size += line.length + 1) > most);
      return lines.slice(from + 1);
    },
    get now() {
      const [title] = [...calls.values()].slice(-1);
      return title === undefined ? undefined : cut(oneLine(title), 120);
    },
  };
}

const wordsOf = (parts: readonly { readonly type: string; readonly text?: string }[]) =>
  parts.map(({ text }) => text ?? "").join("\n");
