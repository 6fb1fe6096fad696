import type { Message } from "../protocol/index.ts";

/**
 * Gives a function that writes messages as the items of a JSON array, each by `write`, which leaves one out by giving
 * nothing. A conversation is sent whole on every turn and grows at its end only: what it shares with the one that was
 * written last is only looked at. Messages never change; conversations that begin with the same one, forks, take turns.
 */
export function createConversationWriter(
  write: (message: Message) => string,
): (messages: readonly Message[]) => string {
  /** Not state: a memory of what a pure function gave, by the first message. */
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

/** Of more than that, copying takes longer than anything that could be saved, and it would all be in memory twice. */
const remembered = 4_000_000;

interface Written {
  readonly messages: readonly Message[];
  /** Where each message ends in the text. */
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
