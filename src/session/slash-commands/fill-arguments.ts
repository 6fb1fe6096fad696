/**
 * Fills in a command's arguments: `$ARGUMENTS` is all of them, `$1` to `$99` are single words (quotes group words). A
 * text without placeholders gets the arguments at its end. Inserted text is not expanded again.
 */
export function fillArguments(text: string, args: string): string {
  const filled = fillPlaceholders(text, args);
  const isUsed = text.search(placeholder) >= 0;
  return isUsed || args.trim() === "" ? filled : `${filled.trimEnd()}\n\nArguments: ${args}\n`;
}

/** Like `fillArguments`, but never appends the arguments. */
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
