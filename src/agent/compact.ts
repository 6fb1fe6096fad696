import type { Message, ModelClient, ModelRequest } from "../protocol/index.ts";
import { type AskModel, askModel } from "./ask-model.ts";
import type { Conversation } from "./conversation.ts";
import { countCharacters } from "./count-characters.ts";
import { summaryRequest } from "./fragments/compaction-summary.ts";
import { mechanicalSummary } from "./fragments/mechanical-summary.ts";
import { troupeNotice } from "./fragments/notice.ts";
import { judgeSummary, summaryText } from "./judge-summary.ts";
import { maxTokens } from "./max-request-tokens.ts";

export interface Compact extends Omit<AskModel, "request" | "maxPromptTokens"> {
  readonly conversation: Conversation;
  readonly request: Omit<ModelRequest, "messages" | "caller">;
  readonly caller: Omit<ModelRequest["caller"], "purpose">;
  readonly trigger: "limit" | "overflow" | "asked";
  readonly instructions?: string | undefined;
  readonly keep?: KeepContext | undefined;
  /** The size in tokens at which the conversation is compacted. */
  readonly limit: number;
}

/** Returns the texts that stay around a summary. `room`: how many characters they may have together. */
export type KeepContext = (cut: { readonly keptFromTurn: number | null; readonly room: number }) => Promise<{
  /** The messages that gave the agent its work. */
  readonly before?: string | undefined;
  /** Work in progress, skills and instructions. */
  readonly after?: string | undefined;
}>;

export type CompactResult =
  | { readonly type: "compacted" }
  | { readonly type: "nothing_to_compact" }
  | { readonly type: "failed"; readonly message: string; readonly aborted: boolean };

/** The share of the context window that the newest turns may keep when the older ones are summarised. */
const keptContextShare = 0.2;
/** The share of the limit that texts around the summary may have. */
const roomShare = 0.25;
const charactersPerToken = 4;

/**
 * Replaces the older turns by a summary that the model writes. The cut is always before an answer, so a call and its
 * result stay together.
 */
export async function compact(options: Compact): Promise<CompactResult> {
  const { conversation, recorder, client, signal } = options;
  const keptFromTurn = cutAt(conversation, client);
  const older = messagesBefore(conversation, keptFromTurn);
  if (older.length === 0) return { type: "nothing_to_compact" };

  const written = await writeSummary(options, { older, keepsNewest: keptFromTurn !== null });
  if (written.type === "failed") return written;
  const room = Math.floor(options.limit * roomShare * charactersPerToken);
  const { before, after } = (await options.keep?.({ keptFromTurn, room })) ?? {};
  const tokensBefore = estimateTokens(conversation);
  await recorder.record(
    {
      type: "context.compacted",
      trigger: options.trigger,
      summary: [written.summary, after].filter((part) => part !== undefined).join("\n\n"),
      ...(before !== undefined && { kept: before }),
      keptFromTurn,
      tokensBefore,
    },
    signal,
  );
  return { type: "compacted" };
}

interface ToSummarise {
  readonly older: readonly Message[];
  readonly keepsNewest: boolean;
}

type Written =
  | { readonly type: "written"; readonly summary: string }
  | Extract<CompactResult, { readonly type: "failed" }>;

/**
 * Returns the model's summary. A poor one is asked for once more, with the reason. After that the program lists what
 * the log knows, so that the task is never lost.
 */
async function writeSummary(options: Compact, { older, keepsNewest }: ToSummarise): Promise<Written> {
  const replaced = older.reduce((sum, message) => sum + countCharacters(message.parts), 0);
  let refused: string | undefined;
  for (let attempt = 0; attempt < 2; attempt++) {
    const text = troupeNotice(summaryRequest({ keepsNewest, instructions: options.instructions, refused }));
    const asked = await askForSummary(options, withRequest(fitToBudget(older, options.client), text));
    if (asked.type === "no_budget") return { type: "failed", message: "the budget is used up", aborted: false };
    if (asked.type === "failed") {
      const { kind, message } = asked.failure;
      const aborted = kind === "aborted";
      // The next turn tries again, unless this conversation cannot be sent at all.
      if (aborted || (options.trigger !== "overflow" && refused === undefined))
        return { type: "failed", message, aborted };
      refused = message;
      break;
    }
    refused = judgeSummary(asked.answer, replaced);
    if (refused === undefined) return { type: "written", summary: summaryText(asked.answer) };
  }
  await options.recorder.record({
    type: "notice.raised",
    level: "warning",
    code: "compaction_summary",
    message: `the model wrote no usable summary (${refused}): a list of files and commands replaces the older turns`,
  });
  return { type: "written", summary: mechanicalSummary(older) };
}

const askForSummary = (options: Compact, messages: readonly Message[]) =>
  askModel({
    ...options,
    request: { ...options.request, messages, caller: { ...options.caller, purpose: "compact" } },
    maxPromptTokens: maxTokens(options.conversation, options.request),
  });

/** The provider's count if there is one, plus a quarter of the characters added since. */
export function estimateTokens(conversation: Conversation): number {
  const { tokens, newCharacters } = conversation.size;
  return tokens + Math.ceil(newCharacters / charactersPerToken);
}

/** The oldest turn that stays unchanged; null if none has to stay. An answer with calls stays with its results. */
function cutAt(conversation: Conversation, client: ModelClient): number | null {
  const messages = conversation.messages();
  const turns = conversation.turns();
  const last = messages.at(-1);
  const mustKeepLast = last?.role === "user" && last.parts.some((part) => part.type === "tool_result");
  const budget = client.contextWindow * keptContextShare * charactersPerToken;
  let size = 0;
  let kept: number | null = null;
  let turnIndex = turns.length;
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index] as Message;
    size += countCharacters(message.parts);
    if (message.role !== "assistant") continue;
    // Older answers are inherited by a fork: they are summarised as a whole.
    if (turnIndex === 0) break;
    const turn = turns[--turnIndex] as number;
    const first = kept === null;
    // Always summarise the oldest turn: keeping everything would compact nothing.
    if (turnIndex === 0 && !(first && mustKeepLast)) break;
    if (size > budget && !(first && mustKeepLast)) break;
    kept = turn;
  }
  return kept;
}

function messagesBefore(conversation: Conversation, keptFromTurn: number | null): readonly Message[] {
  const messages = conversation.messages();
  if (keptFromTurn === null) {
    // The last messages have no answer yet: they stay, and only what precedes them is summarised.
    const lastAnswer = messages.findLastIndex((message) => message.role === "assistant");
    const results = messages[lastAnswer + 1]?.parts.filter((part) => part.type === "tool_result") ?? [];
    const older = messages.slice(0, lastAnswer + 1);
    return results.length === 0 ? older : [...older, { role: "user", parts: results }];
  }
  const turns = conversation.turns();
  const answersAfter = turns.length - turns.indexOf(keptFromTurn);
  let seen = 0;
  const cut = messages.findLastIndex((message) => message.role === "assistant" && ++seen === answersAfter);
  // The user message right before the first kept answer is summarised; the answer itself is not.
  return messages.slice(0, cut);
}

/** Drops the oldest messages if even the older part does not fit into the context window. */
function fitToBudget(messages: readonly Message[], client: ModelClient): readonly Message[] {
  const budget = (client.contextWindow - client.maxOutputTokens) * 0.9 * charactersPerToken;
  let size = messages.reduce((sum, message) => sum + countCharacters(message.parts), 0);
  let from = 0;
  while (size > budget && from < messages.length - 2) {
    size -= countCharacters((messages[from] as Message).parts);
    from += 1;
  }
  if (from === 0) return messages;
  const rest = messages.slice(from);
  const firstUser = rest.findIndex(
    (message) => message.role === "user" && !message.parts.some((part) => part.type === "tool_result"),
  );
  return firstUser < 0 ? renderMessages(rest) : rest.slice(firstUser);
}

/** Renders calls and results as text, for messages that do not start at a valid beginning. */
function renderMessages(messages: readonly Message[]): readonly Message[] {
  const lines = messages.flatMap((message) =>
    message.parts.map((part) => {
      switch (part.type) {
        case "text":
        case "thinking":
          return `${message.role}: ${part.text}`;
        case "tool_call":
          return `call ${part.name} ${JSON.stringify(part.input)}`;
        case "tool_result":
          return `result: ${part.content.map((item) => (item.type === "text" ? item.text : `[${item.type}]`)).join("\n")}`;
        case "image":
        case "document":
          return `[${part.type}]`;
      }
    }),
  );
  return [{ role: "user", parts: [{ type: "text", text: lines.join("\n") }] }];
}

function withRequest(messages: readonly Message[], text: string): readonly Message[] {
  const last = messages.at(-1);
  if (last?.role !== "user") return [...messages, { role: "user", parts: [{ type: "text", text }] }];
  return [...messages.slice(0, -1), { role: "user", parts: [...last.parts, { type: "text", text }] }];
}
