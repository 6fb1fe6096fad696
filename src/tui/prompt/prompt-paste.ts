import { type Buffer, insert } from "./prompt-buffer.ts";

/** Pasted texts that are too long to be shown, by the words that stand for them. */
export type Pastes = ReadonlyMap<string, string>;

const shownCharacters = 800;
const shownLines = 8;

export interface Pasted {
  readonly buffer: Buffer;
  readonly pastes: Pastes;
}

/** What is pasted goes in as it is; if it is long, words stand for it until it is sent. */
export function paste({ buffer, pastes }: Pasted, text: string): Pasted {
  const lines = text.split("\n").length;
  if (text.length <= shownCharacters && lines <= shownLines) return { buffer: insert(buffer, text), pastes };
  const size = lines > 1 ? `${lines} lines` : `${text.length} characters`;
  const name = `[Pasted text #${pastes.size + 1}, ${size}]`;
  return { buffer: insert(buffer, name), pastes: new Map(pastes).set(name, text) };
}

/** The whole text, as it is sent. */
export function withPastes(text: string, pastes: Pastes): string {
  // What was pasted is not searched again: it may have such words in it.
  const names = [...pastes.keys()].filter((name) => text.includes(name));
  if (names.length === 0) return text;
  const pattern = new RegExp(names.map((name) => name.replace(/[[\]#]/g, String.raw`\$&`)).join("|"), "g");
  return text.replace(pattern, (name) => pastes.get(name) ?? name);
}

/** Where the words for a paste begin, if the cursor is right behind them: they are deleted as one. */
export function pasteBefore({ text, cursor }: Buffer, pastes: Pastes): number | undefined {
  for (const name of pastes.keys()) if (text.slice(0, cursor).endsWith(name)) return cursor - name.length;
  return undefined;
}
