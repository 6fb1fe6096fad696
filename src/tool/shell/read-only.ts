import { unsafePath, type ReadContext } from "./unsafe-path.ts";
import { readOnlyFind } from "./read-only-find.ts";
import { readOnlyGit, readOnlyGitPairs } from "./read-only-git.ts";
import { type ReadOnly, readOnlyPrograms, versioned } from "./read-only-programs.ts";
import { inertPrograms } from "./programs.ts";
import { unsafeAwkReason, unsafeSedReason } from "./text-programs.ts";
import type { ShellWord } from "./shell-word.ts";

export interface ReadOnlyRequest extends ReadContext {
  readonly words: readonly ShellWord[];
  /** More arguments come from its input (`xargs`). */
  readonly appends: boolean;
}

/** Returns why a command may do more than read files of the working folders; undefined if it only reads them. */
export function notReadOnlyReason(request: ReadOnlyRequest): string | undefined {
  const { words } = request;
  const name = words[0]?.value ?? "";
  const [first, second] = words.slice(1).map(({ value }) => value);
  if (request.appends && !(inertPrograms.has(name) && !showsContent.has(name)))
    return `${name} gets arguments from another command`;
  if (words.length === 2 && versioned.has(name) && /^(--version|-version|-V|version)$/.test(first ?? ""))
    return undefined;
  if (words.length === 2 && first === "-v" && /^(node|npm)$/.test(name)) return undefined;
  switch (name) {
    case "echo":
    case "true":
    case "false":
    case ":":
      return undefined;
    case "cd":
      return unsafeCdReason(request);
    case "test":
    case "[":
      return unsafeTestReason(words);
    case "printf":
      return words[1]?.kind === "literal" && !first?.startsWith("-") ? undefined : "printf has more than a format";
    case "command":
      return /^-[vV]$/.test(first ?? "") ? undefined : "command runs another command";
    case "find":
      return readOnlyFind({ ...request, judge: (inner) => notReadOnlyReason({ ...request, words: inner }) });
    case "sed":
      return unsafeSedReason(words) ?? unsafeOperandReason(request, { operands: "paths" }, sedFiles(words));
    case "awk":
      return unsafeAwkReason(words) ?? unsafeOperandReason(request, { operands: "paths" }, awkFiles(words));
    case "ps":
      if (words.length === 2 && /^[auxfwr]+$/.test(first ?? "")) return undefined;
      break;
    case "uniq":
      if (words.slice(1).filter(({ value }) => !value.startsWith("-")).length > 1)
        return "uniq writes to its second argument";
      break;
    case "date":
      if (words.slice(1).some(({ value }) => /^\d/.test(value))) return "date could set the clock";
      break;
    case "jq":
      if (words.some(({ value }) => /env|ENV|input_filename|import|include|module/.test(value)))
        return "jq reads more than its input";
      break;
    case "npm":
      return /^(ls|list)$/.test(first ?? "")
        ? unsafeOptionReason(words.slice(2), {
            short: "agl",
            long: "all depth json long global parseable prod omit",
            operands: "text",
          })
        : notListedReason(name);
    case "git":
      return unsafeGitReason(request, first, second);
  }
  const program = Object.hasOwn(readOnlyPrograms, name) ? readOnlyPrograms[name] : undefined;
  if (!program) return notListedReason(name);
  return judgeWords(request, program, words.slice(1));
}

/** Programs that print the content of their files. */
const showsContent = new Set("cat head tail grep egrep fgrep nl tac rev cut".split(" "));

const notListedReason = (name: string) => `${name} is not among the read-only commands`;

function unsafeGitReason(
  request: ReadOnlyRequest,
  first: string | undefined,
  second: string | undefined,
): string | undefined {
  let words = request.words.slice(1);
  if (first === "--no-pager" || first === "-P") [words, first, second] = [words.slice(1), second, words[2]?.value];
  const pair = `${first} ${second}`;
  if (first === "reflog" && /^(expire|delete|drop|write)$/.test(second ?? "")) return `git ${pair} changes the reflog`;
  if (Object.hasOwn(readOnlyGitPairs, pair)) {
    const program = readOnlyGitPairs[pair];
    return program && judgeWords(request, program, words.slice(2));
  }
  const program = first !== undefined && Object.hasOwn(readOnlyGit, first) ? readOnlyGit[first] : undefined;
  if (!program) return `git ${first ?? ""} is not among the read-only commands`;
  const lists = words.some(
    ({ value }) =>
      /^(--list|--(no-)?contains|--(no-)?merged|--points-at)(=|$)/.test(value) || (first === "tag" && value === "-l"),
  );
  const named = first === "branch" || first === "tag";
  return judgeWords(request, named && lists ? { ...program, operands: "text" } : program, words.slice(1));
}

function judgeWords(request: ReadOnlyRequest, program: ReadOnly, words: readonly ShellWord[]): string | undefined {
  return unsafeOptionReason(words, program) ?? unsafeOperandReason(request, program, operandsOf(words, program));
}

/**
 * Everything that looks like an option must be a known one, even after `--`: that may be the value of another option.
 */
function unsafeOptionReason(words: readonly ShellWord[], program: ReadOnly): string | undefined {
  const long = ` ${program.long ?? ""} `;
  for (const { kind, value, head } of words) {
    if (!head.startsWith("-") || head === "-" || value === "--" || /^-\d+$/.test(value)) continue;
    if (kind !== "literal") return `${value} is not known to be harmless`;
    if (value.startsWith("--") ? !isListed(value, long) : !knownLetters(value, program.short)) {
      return `the option ${value} is not known to be harmless`;
    }
  }
  return undefined;
}

/** Matches one whole name, not several. */
function isListed(option: string, long: string): boolean {
  const [name = ""] = option.slice(2).split("=", 1);
  return /^[\w-]+$/.test(name) && long.includes(` ${name} `);
}

function knownLetters(cluster: string, short = ""): boolean {
  for (const letter of cluster.slice(1)) {
    const place = short.indexOf(letter);
    if (place < 0 || letter === ":" || letter === ";") return false;
    if (short[place + 1] === ":" || short[place + 1] === ";") return true;
  }
  return true;
}

/** Returns the words that are neither options nor values of single-letter options. */
function operandsOf(words: readonly ShellWord[], { short = "", operands }: ReadOnly): readonly ShellWord[] {
  const found: ShellWord[] = [];
  let given = false;
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    if (!word) continue;
    if (!word.head.startsWith("-") || word.value === "-") {
      found.push(word);
      continue;
    }
    given ||= /^(-[a-zA-Z]*e|--regexp|--files)/.test(word.value) && !word.value.startsWith("--ex");
    const last = word.value.startsWith("--") ? "" : (word.value.at(-1) ?? "");
    const attached = word.value
      .slice(1, -1)
      .split("")
      .some((letter) => short[short.indexOf(letter) + 1] === ":" && short.includes(letter));
    if (last !== "" && !attached && short[short.indexOf(last) + 1] === ":" && short.includes(last)) {
      if (words[at + 1]?.kind === "literal" && !words[at + 1]?.value.startsWith("-")) at += 1;
    }
  }
  const from = operands === "pattern" && !given ? 1 : 0;
  // An unknown pattern is harmless as long as it cannot be an option.
  const head = found
    .slice(0, from)
    .filter((word) => word.kind !== "literal" && !(word.kind === "single" && word.head !== ""));
  return [...head, ...found.slice(from)];
}

function unsafeOperandReason(
  request: ReadOnlyRequest,
  { operands }: ReadOnly,
  words: readonly ShellWord[],
): string | undefined {
  const name = request.words[0]?.value ?? "";
  if (operands === "none" && words.length > 0) return `${name} has the argument ${words[0]?.text}`;
  for (const word of words) {
    if (operands === "text" && name !== "git" && harmlessText.has(name)) continue;
    if (word.text.startsWith("<(") && word.kind === "single") continue;
    if (word.kind === "dynamic" || word.kind === "single") return `what ${word.text} stands for is unknown`;
    if (word.kind === "pattern" && (word.head === "" || word.head.startsWith("-")) && !inertPrograms.has(name)) {
      return `${word.text} could stand for an option`;
    }
    if (operands === "text" || word.value === "-") continue;
    const doubt = unsafePath(word, request);
    if (doubt !== undefined) return doubt;
  }
  return undefined;
}

/** They only print or compare their arguments. */
const harmlessText = new Set(["basename", "dirname"]);

function unsafeCdReason(request: ReadOnlyRequest): string | undefined {
  const [target, ...more] = request.words.slice(1).filter(({ value }) => value !== "--");
  if (target === undefined || more.length > 0 || target.kind !== "literal" || target.value.startsWith("-")) {
    return "the target of cd is unknown";
  }
  return unsafePath(target, { ...request, place: { ...request.place, readable: [] } });
}

/** `-v` and arithmetic evaluate names; `-t`, `-o` and the other operators only compare and read. */
function unsafeTestReason(words: readonly ShellWord[]): string | undefined {
  const bad = words.find(({ value, kind }) => kind === "dynamic" || /^-[vR]$/.test(value));
  return bad && `test could evaluate ${bad.text}`;
}

function sedFiles(words: readonly ShellWord[]): readonly ShellWord[] {
  const scripts = words.some(({ value }) => /^(-[a-zA-Z]*e$|--expression)/.test(value));
  const rest = words
    .slice(1)
    .filter(({ value }, index, all) => !value.startsWith("-") && !/^-[a-zA-Z]*e$/.test(all[index - 1]?.value ?? ""));
  return scripts ? rest : rest.slice(1);
}

function awkFiles(words: readonly ShellWord[]): readonly ShellWord[] {
  const rest = words
    .slice(1)
    .filter(({ value }, index, all) => !value.startsWith("-") && all[index - 1]?.value !== "-F");
  return rest.slice(1);
}
