/** A part of the source that follows its own quoting: the body of a here-document. */
export interface HereDocument {
  readonly from: number;
  readonly to: number;
  /** True if its delimiter is quoted: nothing in it is expanded. */
  readonly quoted: boolean;
}

export interface Openers {
  /**
   * Positions of `$(`, `${`, `$[`, `<(`, `>(` and backquotes that bash could expand, each with the position behind its
   * end. Undefined: it has no end.
   */
  readonly spans: ReadonlyMap<number, number | undefined>;
  /**
   * True if an expansion stands inside backquotes, where positions and quotes mean something else, or if it is unclear
   * whether a process substitution inside quotes is text.
   */
  readonly nested: boolean;
}

type Context = "plain" | "double" | "brace" | "quotedBrace" | "arithmetic" | "bracket" | "heredoc";

/**
 * Finds every place where bash could begin an expansion. It shares no code with the parser: it is a second opinion about
 * what the parser must have seen. Where it is unsure, it reports an opener too many.
 */
export function expansionOpeners(source: string, documents: readonly HereDocument[]): Openers {
  const scan: Scan = { source, spans: new Map(), nested: false, stack: [{ context: "plain" }] };
  for (let at = 0; at < source.length; ) {
    const document = documents.find(({ from, to }) => at === from && to > from);
    if (document === undefined) at = step(scan, at);
    else {
      if (!document.quoted) readDocument(scan, document);
      at = document.to;
    }
  }
  return scan;
}

interface Scan {
  readonly source: string;
  readonly spans: Map<number, number | undefined>;
  nested: boolean;
  readonly stack: { readonly context: Context; readonly opener?: number }[];
}

function readDocument(scan: Scan, { from, to }: HereDocument): void {
  const depth = scan.stack.push({ context: "heredoc" });
  for (let at = from; at < to; ) at = step(scan, at);
  scan.stack.length = depth - 1;
}

/** Reads one sign or quoted piece, and returns the position behind it. */
function step(scan: Scan, at: number): number {
  const { source, stack } = scan;
  const context = stack.at(-1)?.context ?? "plain";
  const char = source[at];
  if (char === "\\") return at + 2;
  const isSingle = context === "plain" || context === "brace";
  if (isSingle && source.startsWith("$'", at)) return afterAnsi(source, at + 2);
  if (isSingle && char === "'") return afterQuote(source, at + 1);
  if (char === '"' && context !== "heredoc") {
    if (context === "double") stack.pop();
    else stack.push({ context: "double" });
    return at + 1;
  }
  if (char === "`") return readBackquote(scan, at);
  if (context === "plain" && char === "#" && /^$|[\s;|&()]/.test(source[at - 1] ?? "")) return readComment(scan, at);
  return readOpener(scan, at, context) ?? readCloser(scan, at, context);
}

function readOpener(scan: Scan, at: number, context: Context): number | undefined {
  const { source, spans, stack } = scan;
  const two = source.slice(at, at + 2);
  const isSubstitution = (two === "<(" || two === ">(") && context !== "double" && context !== "heredoc";
  if (two !== "$(" && two !== "${" && two !== "$[" && !isSubstitution) return undefined;
  if (isSubstitution && context === "quotedBrace") scan.nested = true;
  spans.set(at, undefined);
  stack.push({ context: openedBy(two, source.startsWith("$((", at), context), opener: at });
  return at + 2;
}

function openedBy(sign: string, isArithmetic: boolean, around: Context): Context {
  if (sign === "${") return around === "plain" || around === "brace" ? "brace" : "quotedBrace";
  if (sign === "$[") return "bracket";
  return isArithmetic ? "arithmetic" : "plain";
}

function readCloser({ source, spans, stack }: Scan, at: number, context: Context): number {
  const char = source[at];
  const isCommand = context === "plain" || context === "arithmetic";
  if (isCommand && char === "(") stack.push({ context });
  const closes =
    (isCommand && char === ")") ||
    ((context === "brace" || context === "quotedBrace") && char === "}") ||
    (context === "bracket" && char === "]");
  const opener = closes && stack.length > 1 ? stack.pop()?.opener : undefined;
  if (opener !== undefined) spans.set(opener, at + 1);
  return at + 1;
}

function readBackquote(scan: Scan, at: number): number {
  const { source, spans } = scan;
  let end = at + 1;
  while (end < source.length && source[end] !== "`") end += source[end] === "\\" ? 2 : 1;
  if (/\$[({[]|[<>]\(|\\`/.test(source.slice(at + 1, end))) scan.nested = true;
  spans.set(at, end + 1);
  return end + 1;
}

/** An opener in a comment counts as well: the parser might not agree that it is one. */
function readComment({ source, spans }: Scan, at: number): number {
  const end = source.indexOf("\n", at);
  const text = source.slice(at, end < 0 ? undefined : end);
  for (const found of text.matchAll(/\$[({[]|[<>]\(|`/g)) spans.set(at + found.index, undefined);
  return at + text.length;
}

function afterQuote(source: string, at: number): number {
  const end = source.indexOf("'", at);
  return end < 0 ? source.length : end + 1;
}

function afterAnsi(source: string, from: number): number {
  let at = from;
  while (at < source.length && source[at] !== "'") at += source[at] === "\\" ? 2 : 1;
  return at + 1;
}
