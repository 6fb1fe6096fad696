/** Where `old_string` is in a file, and the file's own form of it. */
export interface TextMatch {
  /** The part of the file that is replaced. */
  readonly found: string;
  /** The text to put there. */
  readonly replacement: string;
  /** Says in what `old_string` differs from the file; undefined if it does not. */
  readonly note: string | undefined;
}

/**
 * Finds `old_string` exactly. If it is not there, finds it in another form that looks the same: other quotes, other
 * Unicode forms of a letter, other line endings or spaces, a missing newline at the end of the file. Such a form counts
 * only if it occurs once. The file's own form is kept where `new_string` does not change it. Returns undefined if the
 * text is not there.
 */
export function matchText(text: string, oldString: string, newString: string): TextMatch | undefined {
  if (text.includes(oldString)) return { found: oldString, replacement: newString, note: undefined };
  return matchAtEnd(text, oldString, newString) ?? matchAlike(text, oldString, newString);
}

function matchAtEnd(text: string, oldString: string, newString: string): TextMatch | undefined {
  if (!oldString.endsWith("\n") || text.endsWith("\n")) return undefined;
  const found = oldString.slice(0, -1);
  if (found === "" || !text.endsWith(found) || text.indexOf(found) !== text.length - found.length) return undefined;
  return {
    found,
    replacement: newString.endsWith("\n") ? newString.slice(0, -1) : newString,
    note: "The file ends without a newline, and still does.",
  };
}

function matchAlike(text: string, oldString: string, newString: string): TextMatch | undefined {
  if (text.length > longestText) return undefined;
  const file = simplified(text);
  const wanted = simplified(oldString).text;
  const at = file.text.indexOf(wanted);
  if (wanted.trim() === "" || at < 0 || file.text.indexOf(wanted, at + 1) >= 0) return undefined;
  const [start, end] = [file.offsets[at], file.offsets[at + wanted.length]];
  if (start === undefined || end === undefined) return undefined;
  const found = text.slice(start, end);
  return {
    found,
    replacement: keepUnchangedEnds(found, oldString, newString),
    note: "old_string differs from the file only in how characters are written (quotes, accents, spaces or line endings). The file's own form was kept where new_string does not change it.",
  };
}

/** Longer files are not compared character by character. */
const longestText = 2_000_000;

/** Replaces only the part in which the new text differs from the old one. */
function keepUnchangedEnds(found: string, oldString: string, newString: string): string {
  const [file, before, after] = [simplified(found), simplified(oldString), simplified(newString)];
  const most = Math.min(before.text.length, after.text.length);
  let head = 0;
  while (head < most && before.text[head] === after.text[head]) head++;
  while (file.offsets[head] === undefined || after.offsets[head] === undefined) head--;
  let tail = 0;
  while (tail < most - head && before.text.at(-1 - tail) === after.text.at(-1 - tail)) tail++;
  while (endOffset(file, tail) === undefined || endOffset(after, tail) === undefined) tail--;
  const middle = newString.slice(after.offsets[head], endOffset(after, tail));
  return found.slice(0, file.offsets[head]) + middle + found.slice(endOffset(file, tail));
}

const endOffset = ({ text, offsets }: SimpleText, fromEnd: number) => offsets[text.length - fromEnd];

const lookAlikes: Readonly<Record<string, string>> = {
  "\u2018": "'",
  "\u2019": "'",
  "\u201c": '"',
  "\u201d": '"',
  "\u00a0": " ",
  "\u202f": " ",
  "\u2011": "-",
  "\r\n": "\n",
};

interface SimpleText {
  readonly text: string;
  readonly offsets: readonly (number | undefined)[];
}

/**
 * The text in a form in which texts that look the same are the same. `offsets[i]` is the place of its character i in
 * `text`; the last entry is the length of `text`. A place inside a changed character has no own entry.
 */
function simplified(text: string): SimpleText {
  let simple = "";
  const offsets: (number | undefined)[] = [];
  // A letter with its combining marks, a line end, or a single character.
  for (const { 0: part, index } of text.matchAll(/\r\n|[^\p{M}]\p{M}*|\p{M}+/gsu)) {
    const form = lookAlikes[part] ?? part.normalize("NFC");
    offsets[simple.length] = index;
    simple += form;
  }
  offsets[simple.length] = text.length;
  return { text: simple, offsets };
}
