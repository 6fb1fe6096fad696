import type { ShellWord } from "./shell-word.ts";

/** Returns why a sed command may do more than print its input: sed scripts can write files and run commands. */
export function unsafeSedReason(words: readonly ShellWord[]): string | undefined {
  const explicit = words.some(({ value }) => /^-[nErsuz]*e$/.test(value));
  const scripts: ShellWord[] = [];
  let operands = 0;
  for (let at = 1; at < words.length; at++) {
    const word = words[at];
    if (!word) continue;
    const { value } = word;
    if (word.kind !== "literal" && (word.head === "" || word.head.startsWith("-")))
      return `what ${word.text} stands for is unknown`;
    if (/^-[nErsuz]*e$/.test(value)) {
      const next = words[++at];
      if (next) scripts.push(next);
    } else if (value.startsWith("-") && value !== "-") {
      if (!/^(-[nErsuz]+|--quiet|--silent|--regexp-extended|--null-data|--unbuffered|--posix|--sandbox)$/.test(value)) {
        return `the option ${value} of sed is not known to be harmless`;
      }
    } else if (operands++ === 0 && !explicit) scripts.push(word);
  }
  const bad = scripts.find(({ kind, value }) => kind !== "literal" || !isPrinting(value));
  if (scripts.length === 0) return "sed has no script";
  return bad && `the sed script ${bad.text} may do more than print`;
}

/** Text up to a delimiter. Delimiters in brackets or after a backslash do not end it for sed, so they are rejected. */
const upTo = (mark: string) => `(?:[^${mark}\\\\\\n[]|\\\\[^${mark}\\n]|\\[\\^?[^\\]${mark}\\\\\\n]+\\])*`;
const address = `(?:\\d+|\\$|/${upTo("/")}/)`;
const range = `(?:${address}(?:\\s*,\\s*(?:${address}|[+~]\\d+))?\\s*!?\\s*)?`;
const substitute = ["/", "|", "#", ",", "@", ":"]
  .map((mark) => `s\\${mark}${upTo(mark)}\\${mark}${upTo(mark)}\\${mark}[gpiI0-9]*`)
  .join("|");
const printing = new RegExp(
  `^\\s*${range}(?:[pdqQ=]|${substitute})(?:\\s*;\\s*${range}(?:[pdqQ=]|${substitute}))*\\s*;?\\s*$`,
);

/** Accepts scripts that print, delete, quit, number or substitute, without the flags that write or run. */
const isPrinting = (script: string) => script.length <= 500 && printing.test(script);

/** Returns why an awk command may do more than print fields: awk programs can run commands and write files. */
export function unsafeAwkReason(words: readonly ShellWord[]): string | undefined {
  let program: ShellWord | undefined;
  for (let at = 1; at < words.length; at++) {
    const word = words[at];
    if (!word) continue;
    if (word.kind !== "literal") return `what ${word.text} stands for is unknown`;
    if (program === undefined && word.value === "-F") at += 1;
    else if (program === undefined && /^-F./.test(word.value)) continue;
    else if (word.value.startsWith("-")) return `the option ${word.value} of awk is not known to be harmless`;
    else if (program === undefined) program = word;
    else if (word.value.includes("=")) return `awk sets ${word.value}`;
  }
  if (program && program.value.length <= 200 && simpleAwk.test(program.value)) return undefined;
  return "an awk program can run commands";
}

const field = String.raw`(?:\$(?:\d+|NF)|NR|NF|"[\w .:,=/-]*")`;
const simpleAwk = new RegExp(
  String.raw`^\s*(?:(?:NR|NF|\$\d+)\s*[=<>!]=?\s*\d+\s*|/[\w .:-]*/\s*)?(?:\{\s*print(?:\s+${field}(?:\s*,\s*${field}|\s+${field})*)?\s*\})?\s*$`,
);
