/**
 * A text with what it was called with: `$ARGUMENTS` is all of it, `$1` to `$99` its words (quotes hold words together). A
 * text that has a place for neither gets the arguments at its end. What is filled in is not looked at again.
 */
export function fillArguments(text: string, args: string): string {
  const filled = fillPlaceholders(text, args);
  const isUsed = text.search(placeholder) >= 0;
  return isUsed || args.trim() === "" ? filled : `${filled.trimEnd()}\n\nArguments: ${args}\n`;
}

/** The same, but what has no place is not put anywhere. */
export function fillPlaceholders(text: string, args: string): string {
  const words = splitWords(args);
  return text.replace(placeholder, (_, index: string | undefined) =>
    index === undefined ? args : (words[Number(index) - 1] ?? ""),
  );
}

const placeholder = /\$ARGUMENTS\b|\$([1-9]\d?)(?!\w|\.\d)/g;

function splitWords(args: string): string[] {
  const words = args.matchAll(/(?:"([^"]*)"|'([^']*)'|(\S+))/g);
  return [...words].map(([, double, single, plain]) => double ?? single ?? plain ?? "");
}
