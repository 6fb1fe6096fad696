import type { SessionUpdate, ToolCallContent, ToolCallLocation, ToolKind } from "@agentclientprotocol/sdk";
import { type AgentId, type AgentPath, type Envelope, type Event, visibleText } from "../protocol/index.ts";

type Of<T extends Event["type"]> = Extract<Event, { type: T }>;

/**
 * Converts events to updates for the editor. Calls of subagents carry their names. Their text appears in the result of
 * the call that started them.
 */
export interface SessionUpdates {
  of(envelope: Envelope): readonly SessionUpdate[];
  /**
   * Streamed text was missed before the lead stores an event after `upTo`. Until the next turn after that, its text is
   * sent as a whole from where it broke off.
   */
  missed(upTo: number): void;
}

export function createSessionUpdates(lead: AgentId | undefined): SessionUpdates {
  const paths = new Map<AgentId, AgentPath>();
  /** The turn whose text was already streamed, and that text. */
  let streamed = { turn: -1, words: "" };
  let missedUpTo: number | undefined;
  const announced = new Set<string>();

  const announce = (call: Call, status: "pending" | "in_progress"): SessionUpdate => {
    const isNew = !announced.has(call.id);
    announced.add(call.id);
    const facts = { toolCallId: call.id, title: call.title, kind: kindOf(call.name), status, rawInput: call.input };
    const shown = { content: [...contentOf(call)], locations: [...locationsOf(call)] };
    return isNew
      ? { sessionUpdate: "tool_call", name: call.name, ...facts, ...shown }
      : { sessionUpdate: "tool_call_update", toolCallId: call.id, title: call.title, status };
  };

  const stream = (turn: number, words: string, update: SessionUpdate): readonly SessionUpdate[] => {
    if (missedUpTo !== undefined) return [];
    streamed = { turn, words: (streamed.turn === turn ? streamed.words : "") + words };
    return [update];
  };

  const of = ({ agent, seq, event }: Envelope): readonly SessionUpdate[] => {
    if (event.type === "agent.spawned") paths.set(agent, event.path);
    const isLead = agent === lead;
    const who = isLead ? "" : `${paths.get(agent) ?? agent}: `;
    switch (event.type) {
      case "text.delta":
        if (!isLead) return [];
        return stream(event.turn, event.text, {
          sessionUpdate: "agent_message_chunk",
          content: text(event.text),
        });
      case "thinking.delta":
        if (!isLead) return [];
        return stream(event.turn, event.text, {
          sessionUpdate: "agent_thought_chunk",
          content: text(event.text),
        });
      case "turn.started":
        if (isLead && missedUpTo !== undefined && seq > missedUpTo) missedUpTo = undefined;
        return [];
      case "turn.ended":
        if (!isLead) return [];
        if (streamed.turn !== event.turn) return wordsOf(event, "");
        return missedUpTo === undefined ? [] : wordsOf(event, streamed.words);
      case "prompt.admitted":
        return [];
      case "permission.asked": {
        const call = { id: callIdOf(agent, event.callId), name: event.tool, input: event.input, title: event.question };
        return [announce({ ...call, title: `${who}${event.question}`, patch: event.patch }, "pending")];
      }
      case "tool.called": {
        const { callId, name, input, title } = event;
        return [announce({ id: callIdOf(agent, callId), name, input, title: `${who}${title}` }, "in_progress")];
      }
      case "tool.settled":
        announced.delete(callIdOf(agent, event.callId));
        return [settled(callIdOf(agent, event.callId), event)];
      case "agent.changed":
        if (!isLead || event.permissionMode === undefined) return [];
        return [{ sessionUpdate: "current_mode_update", currentModeId: event.permissionMode }];
      case "notice.raised":
        if (event.code === "command_output")
          return [{ sessionUpdate: "agent_message_chunk", content: text(event.message) }];
        if (event.level === "info") return [];
        return [{ sessionUpdate: "agent_thought_chunk", content: text(`\n[${event.level}] ${event.message}\n`) }];
      default:
        return [];
    }
  };
  return { of, missed: (upTo) => void (missedUpTo = upTo) };
}

/** Converts stored events: prompts, answers and calls of the lead. */
export function historyUpdates(envelopes: readonly Envelope[]): readonly SessionUpdate[] {
  const updates = createSessionUpdates(envelopes[0]?.agent);
  return envelopes.flatMap((envelope) => [...messageUpdate(envelope), ...updates.of(envelope)]);
}

function messageUpdate({ event }: Envelope): SessionUpdate[] {
  if (event.type !== "prompt.admitted" || event.source !== "user") return [];
  return event.parts.map((part) => ({
    sessionUpdate: "user_message_chunk",
    content:
      part.type === "text"
        ? text(part.text)
        : part.type === "image"
          ? { type: "image", data: part.data, mimeType: part.mediaType }
          : text(`[${part.name}]`),
  }));
}

interface Call {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly title: string;
  /** The change of an existing file, if the call writes over one. */
  readonly patch?: string | undefined;
}

const text = (words: string) => ({ type: "text" as const, text: words });

/** Call ids are unique only within one agent. */
export const callIdOf = (agent: AgentId, callId: string): string => `${agent}/${callId}`;

/**
 * Returns the text of a turn after the part that was already sent. If that part is not its beginning, returns the whole
 * text.
 */
function wordsOf({ parts }: Of<"turn.ended">, prefix: string): SessionUpdate[] {
  const spoken = parts.flatMap((part) => (part.type === "tool_call" ? [] : [part]));
  const isBeginning = spoken
    .map((part) => part.text)
    .join("")
    .startsWith(prefix);
  let known = isBeginning ? prefix.length : 0;
  return spoken.flatMap((part): SessionUpdate[] => {
    const rest = part.text.slice(known);
    known = Math.max(0, known - part.text.length);
    if (rest === "") return [];
    const sessionUpdate = part.type === "text" ? "agent_message_chunk" : "agent_thought_chunk";
    return [{ sessionUpdate, content: text(rest) }];
  });
}

function settled(toolCallId: string, { outcome, content, display }: Of<"tool.settled">): SessionUpdate {
  const words = content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
  const patch = display?.kind === "diff" ? `\`\`\`diff\n${visibleText(display.patch)}\n\`\`\`` : visibleText(words);
  return {
    sessionUpdate: "tool_call_update",
    toolCallId,
    status: outcome === "ok" ? "completed" : "failed",
    content: patch === "" ? [] : [{ type: "content", content: text(patch) }],
    rawOutput: { outcome },
  };
}

const kinds: Readonly<Record<string, ToolKind>> = {
  Read: "read",
  Write: "edit",
  Edit: "edit",
  Glob: "search",
  Grep: "search",
  Bash: "execute",
  WebFetch: "fetch",
  ExitPlanMode: "switch_mode",
};

const kindOf = (name: string): ToolKind => kinds[name] ?? "other";

/** Shows the planned change of a call before it runs. */
function contentOf({ name, input, patch }: Call): readonly ToolCallContent[] {
  const { file_path: path, old_string: oldText, new_string: newText, content, command } = fieldsOf(input);
  if (name === "Edit" && path && oldText !== undefined && newText !== undefined)
    return [{ type: "diff", path, oldText, newText }];
  if (path && patch !== undefined) return hunksOf(patch).map((hunk) => ({ type: "diff", path, ...hunk }));
  if (name === "Write" && path && content !== undefined) return [{ type: "diff", path, newText: content }];
  if (name === "Bash" && command) return [{ type: "content", content: text(`$ ${visibleText(command)}`) }];
  return [];
}

/** The text of each hunk of a unified diff, before and after the change. */
function hunksOf(patch: string): readonly { readonly oldText: string; readonly newText: string }[] {
  const side = (lines: readonly string[], sign: "-" | "+") =>
    lines.flatMap((line) => (line.startsWith(sign) || line.startsWith(" ") ? [line.slice(1)] : [])).join("\n");
  return patch
    .split(/^@@ .*\n/m)
    .slice(1)
    .map((hunk) => hunk.replace(/\n$/, "").split("\n"))
    .map((lines) => ({ oldText: side(lines, "-"), newText: side(lines, "+") }));
}

function locationsOf({ input }: Call): readonly ToolCallLocation[] {
  const { file_path: path } = fieldsOf(input);
  return path ? [{ path }] : [];
}

function fieldsOf(input: unknown): Readonly<Record<string, string | undefined>> {
  if (typeof input !== "object" || input === null) return {};
  return Object.fromEntries(
    Object.entries(input).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );
}
