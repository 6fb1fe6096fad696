import type { ShellWord } from "../shell-word.ts";

const comparing = /^(=|==|!=|-eq|-ne|-lt|-le|-gt|-ge|-nt|-ot|-ef)$/;

/**
 * Returns why `test` or `[` could run code. `-v` evaluates the index of a name, so it must not come from an unknown word,
 * and an unknown word must not become such a name.
 */
export function unsafeTestReason(words: readonly ShellWord[]): string | undefined {
  const rest = words[0]?.value === "[" ? words.slice(1, -1) : words.slice(1);
  const last = words.at(-1);
  if (words[0]?.value === "[" && !(last?.kind === "literal" && last.value === "]")) return "the closing ] is unknown";
  const dynamic = rest.find(({ kind }) => kind === "dynamic" || kind === "pattern");
  if (dynamic) return `test could evaluate ${dynamic.text}`;
  const evaluated = rest.find(({ value }, at) => /^-[vR]$/.test(value) && !/^\w*$/.test(rest[at + 1]?.value ?? "["));
  if (evaluated) return `test could evaluate ${evaluated.text}`;
  const unknown = rest.filter(({ kind }) => kind !== "literal");
  if (unknown.length === 0) return undefined;
  const isComparison = rest.length === 3 && rest[1]?.kind === "literal" && comparing.test(rest[1].value);
  if (isComparison) return undefined;
  const isPlain =
    unknown.length === 1 &&
    rest.length <= 3 &&
    rest.every(({ value, kind }) => kind !== "literal" || !value.includes("["));
  const operator = rest.findIndex(({ kind }) => kind === "literal");
  if (isPlain && (rest.length === 1 || /^(-[a-uw-zA-QS-Z]|!)$/.test(rest[operator]?.value ?? ""))) return undefined;
  return `test could evaluate ${unknown[0]?.text}`;
}
