import type { Buffer } from "./prompt-buffer.ts";

/** The completions for the word at the cursor. */
export interface Completion {
  readonly kind: "slash" | "file";
  /** The start of the word, including its / or @. */
  readonly from: number;
  readonly query: string;
  readonly items: readonly CompletionItem[];
  readonly chosen: number;
}

export interface CompletionItem {
  readonly value: string;
  readonly detail?: string | undefined;
}

export interface CompletionQuery {
  readonly kind: Completion["kind"];
  readonly from: number;
  readonly query: string;
}

/** Returns what to complete, if anything: a command at the start of the prompt, or a file after an @. */
export function completionQueryAt({ text, cursor }: Buffer): CompletionQuery | undefined {
  const before = text.slice(0, cursor);
  const slash = /^\/([\w:-]*)$/.exec(before);
  if (slash) return { kind: "slash", from: 0, query: slash[1] ?? "" };
  const file = /(?:^|\s)@([^\s@]*)$/.exec(before);
  if (!file) return undefined;
  const query = file[1] ?? "";
  return { kind: "file", from: cursor - query.length - 1, query };
}

const shownItems = 50;

/** Commands that start with the query come first, then commands that contain it. */
export function slashItems(
  commands: readonly {
    readonly name: string;
    readonly description: string;
    readonly argumentHint?: string | undefined;
  }[],
  query: string,
): CompletionItem[] {
  const wanted = query.toLowerCase();
  const [begin, have] = [commands.filter(({ name }) => name.toLowerCase().startsWith(wanted)), commands];
  const rest = have.filter((command) => !begin.includes(command) && command.name.toLowerCase().includes(wanted));
  return [...begin, ...(wanted === "" ? [] : rest)].slice(0, shownItems).map(({ name, description, argumentHint }) => ({
    value: `/${name}`,
    detail: argumentHint === undefined ? description : `${argumentHint}  ${description}`,
  }));
}

/**
 * Replaces the word by the selected item and a space. A folder gets no space, so that the user can continue into it.
 */
export function applyCompletion({ text, cursor }: Buffer, { from, items, chosen, kind }: Completion): Buffer {
  const item = items[chosen];
  if (!item) return { text, cursor };
  const value = kind === "file" ? `@${item.value}` : item.value;
  const written = value.endsWith("/") ? value : `${value} `;
  const after = text.slice(cursor).replace(/^ /, "");
  return { text: text.slice(0, from) + written + after, cursor: from + written.length };
}
