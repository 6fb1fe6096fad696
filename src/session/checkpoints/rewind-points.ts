import { currentEnvelopes } from "../../agent/index.ts";
import { oneLine, type StoredEnvelope } from "../../protocol/index.ts";
import { partsForPeople } from "../../view/index.ts";

/** A moment to which a session can go back: just before a prompt of the user, or before an earlier rewind. */
export interface RewindPoint {
  /** The id of the prompt, or of the event of the rewind. */
  readonly id: string;
  readonly kind: "prompt" | "rewind";
  readonly at: string;
  /** The first line of the prompt, or what the rewind did. */
  readonly text: string;
  /** The whole prompt. */
  readonly prompt?: string;
  /** The last event before this moment. */
  readonly seq: number;
  /** True if the conversation does not contain it any more. */
  readonly isLeft: boolean;
}

/** Returns the moments of a log, oldest first. */
export function rewindPoints(log: readonly StoredEnvelope[]): RewindPoint[] {
  const current = new Set(currentEnvelopes(log).map(({ seq }) => seq));
  const promoted = new Map<string, number>();
  for (const { event, seq } of log)
    if (event.type === "prompt.promoted" && !promoted.has(event.promptId)) promoted.set(event.promptId, seq);
  return log.flatMap(({ id, event, seq, at }): RewindPoint[] => {
    if (event.type === "agent.rewound")
      return [{ id, kind: "rewind", at, text: event.text, seq: seq - 1, isLeft: false }];
    if (event.type !== "prompt.admitted" || event.source !== "user") return [];
    const prompt = partsForPeople(event.parts)
      .map((part) => (part.type === "text" ? part.text : `[${part.type}]`))
      .join("\n");
    const own = promoted.get(event.promptId) ?? seq;
    const text = oneLine(prompt).slice(0, 200);
    return [{ id: event.promptId, kind: "prompt", at, text, prompt, seq: own - 1, isLeft: !current.has(own) }];
  });
}
