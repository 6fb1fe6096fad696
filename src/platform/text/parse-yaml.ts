import { type Document, isNode, LineCounter, parseDocument } from "yaml";

export type ParsedYaml =
  | { readonly value: unknown; readonly lineOf: (path: readonly (string | number)[]) => number }
  | { readonly problem: { readonly line: number; readonly message: string } };

/** Parses YAML fields. The value of a `name: words` line that is not valid YAML is read as plain text. */
export function parseYaml(text: string): ParsedYaml {
  const strict = parse(text);
  const { document, counter } = strict.document.errors.length === 0 ? strict : parse(quoteWords(text));
  // Errors refer to the text as written.
  const [error] = document.errors.length === 0 ? [] : strict.document.errors;
  if (error) {
    const line = error.linePos?.[0].line ?? 1;
    return {
      problem: { line, message: `not valid YAML: ${error.message.split("\n", 1)[0]?.replace(/ at line .*$/, "")}` },
    };
  }
  const value = valueOf(document);
  if (value instanceof ReferenceError) return { problem: { line: 1, message: `not valid YAML: ${value.message}` } };
  return { value: value ?? {}, lineOf: (path) => lineOf(document, counter, path) };
}

/** Rejects aliases that expand to a huge value. */
function valueOf(document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: 20 }) as unknown;
  } catch (error) {
    if (error instanceof ReferenceError) return error;
    throw error;
  }
}

function parse(text: string): { document: Document; counter: LineCounter } {
  const counter = new LineCounter();
  return { document: parseDocument(text, { lineCounter: counter, uniqueKeys: true, logLevel: "silent" }), counter };
}

/** Works line by line, so that line numbers stay the same. */
function quoteWords(text: string): string {
  return text
    .split("\n")
    .map((line) => {
      const [, key, words] = /^([A-Za-z][\w-]*:)[ \t]+(\S.*)$/.exec(line) ?? [];
      if (key === undefined || words === undefined || /^[|>]/.test(words)) return line;
      return parse(line).document.errors.length === 0 ? line : `${key} ${JSON.stringify(words.trimEnd())}`;
    })
    .join("\n");
}

/** Returns the line of the nearest existing parent if the field itself is missing. */
function lineOf(document: Document, counter: LineCounter, path: readonly (string | number)[]): number {
  for (let length = path.length; length > 0; length--) {
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return counter.linePos(node.range[0]).line;
  }
  return 1;
}
