import { type Buffer, insert } from "./prompt-buffer.ts";

/** Pasted texts that are too long to show, by their placeholders. */
export type Pastes = ReadonlyMap<string, string>;

const shownCharacters = 800;
const shownLines = 8;

export interface Pasted {
  readonly buffer: Buffer;
  readonly pastes: Pastes;
}

/** Inserts pasted text. A placeholder stands for a long text until it is sent. */
export function paste({ buffer, pastes }: Pasted, text: string): Pasted {
  const lines = text.split("\n").length;
  if (text.length <= shownCharacters && lines <= shownLines) return { buffer: insert(buffer, text), pastes };
  const size = lines > 1 ? `${lines} lines` : `${text.length} characters`;
  const name = `[Pasted text #${pastes.size + 1}, ${size}]`;
  return { buffer: insert(buffer, name), pastes: new Map(pastes).set(name, text) };
}

/** Returns the text with all placeholders replaced, as it is sent. */
export function withPastes(text: string, pastes: Pastes): string {
  // Pasted text is not searched for placeholders, because it may contain similar text.
  const names = [...pastes.keys()].filter((name) => text.includes(name));
  if (names.length === 0) return text;
  const pattern = new RegExp(names.map((name) => name.replace(/[[\]#]/g, String.raw`\$&`)).join("|"), "g");
  return text.replace(pattern, (name) => pastes.get(name) ?? name);
}

/** Returns the start of the placeholder directly before the cursor. A placeholder is deleted as a unit. */
export function pasteBefore({ text, cursor }: Buffer, pastes: Pastes): number | undefined {
  for (const name of pastes.keys()) if (text.slice(0, cursor).endsWith(name)) return cursor - name.length;
  return undefined;
}
