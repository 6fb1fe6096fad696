import type { Message } from "../protocol/index.ts";

/**
 * Returns a function that writes messages as items of a JSON array. `write` returns an empty string to leave a message
 * out. A conversation is sent whole on every turn and only grows at its end, so the part shared with the previous call
 * is reused. Messages never change. Forks share their first message and replace each other's entry.
 */
export function createConversationWriter(
  write: (message: Message) => string,
): (messages: readonly Message[]) => string {
  /** A cache for a pure function, keyed by the first message. */
  const memory = new WeakMap<Message, Written>();
  return (messages) => {
    const [first] = messages;
    if (first === undefined) return "";
    const { text, ends } = extend(memory.get(first), messages, write);
    if (text.length <= remembered) memory.set(first, { messages: [...messages], ends, text });
    else memory.delete(first);
    return text;
  };
}

/** Longer texts are not cached: copying would cost more than it saves, and they would be in memory twice. */
const remembered = 4_000_000;

interface Written {
  readonly messages: readonly Message[];
  /** The offset at which each message ends in the text. */
  readonly ends: readonly number[];
  readonly text: string;
}

function extend(known: Written | undefined, messages: readonly Message[], write: (message: Message) => string) {
  const shared = known === undefined ? 0 : sharedLength(known.messages, messages);
  const ends = known?.ends.slice(0, shared) ?? [];
  let text = known?.text.slice(0, ends.at(-1) ?? 0) ?? "";
  for (let index = shared; index < messages.length; index++) {
    const written = write(messages[index] as Message);
    if (written !== "") text += text === "" ? written : `,${written}`;
    ends.push(text.length);
  }
  return { text, ends };
}

function sharedLength(before: readonly Message[], now: readonly Message[]): number {
  const most = Math.min(before.length, now.length);
  let length = 0;
  while (length < most && before[length] === now[length]) length++;
  return length;
}
