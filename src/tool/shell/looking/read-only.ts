import { judgeFiles, judgeListed, notListedReason, type ReadOnlyRequest } from "./judge-words.ts";
import { readOnlyFind } from "./read-only-find.ts";
import { notReadOnlyGitReason } from "./read-only-git-words.ts";
import { readOnlyPrograms, versionWords } from "./read-only-programs.ts";
import { unsafeTestReason } from "./read-only-test.ts";
import type { ShellWord } from "../shell-word.ts";
import { unsafeAwkReason, unsafeSedReason } from "../text-programs.ts";
import { unsafePath } from "./unsafe-path.ts";

/** Returns why a command may do more than read files of the working folders; undefined if it only reads them. */
export function notReadOnlyReason(request: ReadOnlyRequest): string | undefined {
  const { words } = request;
  const name = words[0]?.value ?? "";
  const first = words[1]?.kind === "literal" ? words[1].value : undefined;
  if (request.appends && !takesAnyWord.has(name)) return `${name} gets arguments from another command`;
  if (words.length === 2 && first !== undefined && versionWords(name).includes(first)) return undefined;
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
      return first !== undefined && !first.startsWith("-") ? undefined : "printf has more than a format";
    case "command":
      return /^-[vV]$/.test(first ?? "") ? undefined : "command runs another command";
    case "read":
      return unsafeReadReason(words);
    case "ulimit":
      return words.length <= 2 && /^-[acdfnstuv]$/.test(first ?? "-a") ? undefined : "ulimit could set a limit";
    case "printenv":
      return words.length === 2 && plainVariables.has(first ?? "") ? undefined : "printenv could show secrets";
    case "find":
      return readOnlyFind({ ...request, judge: (inner) => notReadOnlyReason({ ...request, words: inner }) });
    case "sed":
      return unsafeSedReason(words) ?? judgeFiles(request, sedFiles(words));
    case "awk":
      return unsafeAwkReason(words) ?? judgeFiles(request, awkFiles(words));
    case "git":
      return notReadOnlyGitReason(request);
    default:
      return unlistedReason(request) ?? judgeListed(request, readOnlyPrograms[name], words.slice(1));
  }
}

/** They only print their words, or parts of them, and no option of them does more. */
export const takesAnyWord = new Set(["echo", "basename", "dirname"]);

/** Variables that do not hold secrets. */
const plainVariables = new Set(
  "PATH HOME USER LOGNAME SHELL LANG LC_ALL TERM PWD TZ EDITOR NODE_ENV CI GOPATH GOROOT JAVA_HOME VIRTUAL_ENV HOSTNAME TMPDIR".split(
    " ",
  ),
);

/** Returns why a program of the list needs approval for reasons that its options do not show. */
function unlistedReason({ words }: ReadOnlyRequest): string | undefined {
  const name = words[0]?.value ?? "";
  const rest = words.slice(1).map(({ value }) => value);
  if (!Object.hasOwn(readOnlyPrograms, name)) return notListedReason(name);
  switch (name) {
    case "date":
      return rest.some((value) => /^\d/.test(value)) ? "date could set the clock" : undefined;
    case "jq":
      return rest.some((value) => /env|ENV|input_filename|import|include|module|getpath\s*\(\s*\[?"?\$__/.test(value))
        ? "jq reads more than its input"
        : undefined;
    case "ps":
      return rest.some((value) => /e/.test(value) && !value.startsWith("-")) ? "ps e shows environments" : undefined;
    case "less":
    case "more":
      return rest.some((value) => value.startsWith("+")) ? `${name} has a command` : undefined;
    case "tar":
      return /^-?[vzjJ]*t[vzjJ]*f?$/.test(rest[0] ?? "") && !rest.some((value) => value.includes(":"))
        ? undefined
        : "tar does more than list";
    case "unzip":
      return rest.some((value) => /^-[qZ]*[lvZtz1]/.test(value)) ? undefined : "unzip does more than list";
    case "gofmt":
      return rest.some((value) => value.startsWith("-w")) ? "gofmt writes files" : undefined;
    case "npm":
      return /^(ls|list)$/.test(rest[0] ?? "") ? undefined : notListedReason(name);
    case "pip":
    case "pip3":
      return /^(list|freeze|show)$/.test(rest[0] ?? "") ? undefined : notListedReason(name);
    default:
      return undefined;
  }
}

function unsafeCdReason(request: ReadOnlyRequest): string | undefined {
  const [target, ...more] = request.words.slice(1).filter(({ value }) => value !== "--");
  if (target === undefined || more.length > 0 || target.kind !== "literal" || target.value.startsWith("-")) {
    return "the target of cd is unknown";
  }
  return unsafePath(target, { ...request, place: { ...request.place, readable: [] } });
}

/** `read -r line` sets variables that bash itself does not use. */
function unsafeReadReason(words: readonly ShellWord[]): string | undefined {
  const rest = words.slice(1).filter(({ value, kind }) => !(kind === "literal" && value === "-r"));
  const bad = rest.find(
    ({ kind, value }) => kind !== "literal" || !/^[a-z][a-z0-9_]*$/.test(value) || value.endsWith("_proxy"),
  );
  return bad && `read sets ${bad.text}`;
}

/** Every word of sed that is not a script of it could be a file. */
function sedFiles(words: readonly ShellWord[]): readonly ShellWord[] {
  const scripts = words.some(({ value }) => /^(-[a-zA-Z]*e$|--expression)/.test(value));
  const end = words.findIndex(({ value }) => value === "--");
  const rest = words
    .slice(1)
    .filter(
      ({ value }, index, all) =>
        (end >= 0 && index >= end ? true : !value.startsWith("-") || value === "-") &&
        !/^-[a-zA-Z]*e$/.test(all[index - 1]?.value ?? ""),
    );
  return scripts ? rest : rest.slice(1);
}

function awkFiles(words: readonly ShellWord[]): readonly ShellWord[] {
  const rest = words
    .slice(1)
    .filter(({ value }, index, all) => !value.startsWith("-") && all[index - 1]?.value !== "-F");
  return rest.slice(1);
}
