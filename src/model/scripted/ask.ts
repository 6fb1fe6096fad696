import type { ContentPart, Message, ModelRequest } from "../../protocol/index.ts";

/** One request as a script sees it. */
export interface Ask {
  readonly agent: string;
  readonly type: string;
  readonly turn: number;
  readonly purpose: ModelRequest["caller"]["purpose"];
  /** The last text sent to the agent, even from several calls ago. Tool results do not count. */
  readonly said: string;
  readonly system: string;
  /** Every call settled since the previous answer, in order; `result` is the last of them. */
  readonly results: readonly AskResult[];
  readonly result: AskResult | undefined;
  readonly cwd: string | undefined;
  readonly request: ModelRequest;
}

export interface AskResult {
  readonly callId: string;
  readonly tool: string;
  readonly input: unknown;
  readonly text: string;
  readonly isError: boolean;
}

export function askFrom(request: ModelRequest, cwd?: string): Ask {
  const { agentPath, agentType, turn, purpose } = request.caller;
  const results = resultsOf(request.messages);
  return {
    agent: agentPath,
    type: agentType,
    turn,
    purpose,
    said: lastSaid(request.messages),
    system: request.system.join("\n\n"),
    results,
    result: results.at(-1),
    cwd,
    request,
  };
}

function lastSaid(messages: readonly Message[]): string {
  for (const message of messages.toReversed()) {
    if (message.role !== "user") continue;
    const said = message.parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
    if (said.length > 0) return said.join("\n");
  }
  return "";
}

function resultsOf(messages: readonly Message[]): AskResult[] {
  const lastAnswer = messages.findLastIndex((message) => message.role === "assistant");
  const answer = messages[lastAnswer];
  if (answer?.role !== "assistant") return [];
  const calls = new Map(
    answer.parts.flatMap((part) => (part.type === "tool_call" ? [[part.callId, part] as const] : [])),
  );
  return messages.slice(lastAnswer + 1).flatMap((message) =>
    message.role === "assistant"
      ? []
      : message.parts.flatMap((part) => {
          if (part.type !== "tool_result") return [];
          const call = calls.get(part.callId);
          const { callId, isError } = part;
          return [{ callId, tool: call?.name ?? "", input: call?.input, text: textOf(part.content), isError }];
        }),
  );
}

const textOf = (content: readonly ContentPart[]): string =>
  content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
