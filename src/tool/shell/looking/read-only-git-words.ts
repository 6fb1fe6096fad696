import { dirname, join } from "node:path";
import { gitPaths, namesSecretInGit } from "./git-paths.ts";
import { readOnlyGit, readOnlyGitPairs } from "./read-only-git.ts";
import type { ReadOnly } from "./read-only-programs.ts";
import { judgeListed, type ReadOnlyRequest } from "./judge-words.ts";
import type { ShellWord } from "../shell-word.ts";
import { unsafeFile } from "./unsafe-path.ts";

/** Returns why a git command may do more than show files of the repository without secrets. */
export function notReadOnlyGitReason(request: ReadOnlyRequest): string | undefined {
  const isQuiet = /^(--no-pager|-P)$/.test(request.words[1]?.value ?? "");
  const words = request.words.slice(isQuiet ? 2 : 1);
  const [first, second] = words.map(({ kind, value }) => (kind === "literal" ? value : undefined));
  const problem = nestedRepository(request);
  if (problem !== undefined && first !== "version") return problem;
  if (first === "reflog" && words.some(({ value }) => /^(expire|delete|drop|write)$/.test(value)))
    return "git reflog could change the reflog";
  const pair = `${first} ${second}`;
  const isPair = Object.hasOwn(readOnlyGitPairs, pair);
  const program = isPair ? readOnlyGitPairs[pair] : listed(first ?? "", second);
  if (!program) return `git ${first ?? ""} is not among the read-only commands`;
  const rest = words.slice(isPair ? 2 : 1);
  return judgeListed(request, program, rest) ?? rest.map((word) => secretReason(word, request)).find(Boolean);
}

/** The settings of a repository below the working folder have not been checked. */
function nestedRepository({ folders = [], place }: ReadOnlyRequest): string | undefined {
  const { disk, cwd } = place;
  const top = disk.realPath(cwd);
  for (const folder of folders) {
    for (let at = disk.realPath(folder); at !== top && at !== dirname(at); at = dirname(at)) {
      if (disk.kindOf(join(at, ".git")) !== undefined) return `${at} is another repository`;
    }
  }
  return undefined;
}

function listed(name: string, second: string | undefined): ReadOnly | undefined {
  const program = Object.hasOwn(readOnlyGit, name) ? readOnlyGit[name] : undefined;
  const lists = /^(--list|-l|--(no-)?contains|--(no-)?merged|--points-at)(=|$)/.test(second ?? "");
  const isNaming = name === "branch" || name === "tag";
  return program && isNaming && lists && !(name === "branch" && second === "-l")
    ? { ...program, operands: "text" }
    : program;
}

/** A path of a commit, of the index or of a pathspec is judged as the file itself. */
function secretReason(word: ShellWord, { place, folders }: ReadOnlyRequest): string | undefined {
  if (word.value.includes("%G") || word.value.includes("%(signature"))
    return "git would run a program to check signatures";
  if (namesSecretInGit(word)) return `${word.text} could name a file with secrets`;
  return gitPaths(word, folders ?? [place.cwd], place)
    .map((path) => unsafeFile(path, place))
    .find(Boolean);
}
