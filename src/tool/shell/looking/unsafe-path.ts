import { isSecretPath } from "../../permissions/secret-paths.ts";
import { mayRead, pathsOf, type ShellContext } from "../shell-context.ts";
import type { ShellWord } from "../shell-word.ts";

export interface ReadContext {
  readonly place: ShellContext;
  /** Every folder that the command may run in; undefined if unknown. */
  readonly folders: readonly string[] | undefined;
}

/** Returns why reading a file needs approval. */
export function unsafePath(word: ShellWord, { folders, place }: ReadContext): string | undefined {
  if (folders === undefined) return "the folder it would run in is unknown";
  const paths = pathsOf(word, folders, place);
  if (paths === undefined) return `what ${word.text} stands for is unknown`;
  return paths.map((path) => unsafeFile(path, place)).find((why) => why !== undefined);
}

export function unsafeFile(path: string, place: ShellContext): string | undefined {
  if (path === "/dev/null") return undefined;
  if (place.isDenied?.(path)) return `a rule denies reading ${path}`;
  if (!mayRead(path, place)) return `${path} is outside the working folders`;
  return isSecretPath(path) ? `${path} looks like a file with secrets` : undefined;
}

/** Returns why a word that should be text names a file that needs approval. A file that does not exist does no harm. */
export function unsafeText(word: ShellWord, { folders, place }: ReadContext): string | undefined {
  if (word.kind !== "literal") return undefined;
  const named = [...(folders ?? [place.cwd])].flatMap((folder) => pathsOf(word, [folder], place) ?? []);
  for (const path of named) {
    const kind = place.disk.kindOf(path);
    const why = kind === undefined || path === "/" ? undefined : unsafeFile(path, place);
    if (why !== undefined) return why;
  }
  return undefined;
}

/** True if a word could become an option: by the name of a file, or by a value of a loop. */
export function hasChoiceWithDash(word: ShellWord, { folders, place }: ReadContext): boolean {
  if (word.choices !== undefined)
    return word.choices.some((choice) => choice.head.startsWith("-") || hasChoiceWithDash(choice, { folders, place }));
  if (word.kind !== "pattern" || word.head !== "" || word.value.startsWith("/")) return false;
  return (folders ?? [place.cwd]).some((folder) =>
    (place.disk.entriesIn(place.realPath(folder)) ?? []).some(({ name }) => name.startsWith("-")),
  );
}
