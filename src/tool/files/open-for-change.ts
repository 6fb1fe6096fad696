import type { ToolContext } from "../define-tool.ts";
import { digestOf, openRegularFile, wholeFileLimit } from "./open-regular-file.ts";
import { pathToOpen } from "./resolve-path.ts";
import { decodeTextFile, looksBinary, type TextFile } from "./text-file.ts";

/** A file that may be changed: it does not exist yet, or the agent has read it and it has not changed since. */
export type FileToChange =
  | { readonly kind: "absent"; readonly realPath: string }
  | { readonly kind: "text"; readonly realPath: string; readonly file: TextFile; readonly bytes: Buffer }
  | { readonly kind: "refused"; readonly message: string };

/** `verb` names the intended action in a refusal. */
export async function openForChange(
  path: string,
  verb: "edit" | "write",
  context: Pick<ToolContext, "files" | "judgedPath">,
): Promise<FileToChange> {
  const real = pathToOpen(path, context);
  const opened = await openRegularFile(real, path);
  if (!opened.ok) {
    return opened.missing ? { kind: "absent", realPath: real } : { kind: "refused", message: opened.message };
  }
  const { handle, stat } = opened;
  try {
    const seen = context.files.seen(real);
    if (stat.size > wholeFileLimit)
      return refuse(`${path} is larger than ${wholeFileLimit} bytes. Change it with a program, such as sed.`);
    if (seen === "unknown")
      return refuse(`${path} was read before the program was restarted. Read it again, then ${verb} it.`);
    const bytes = await handle.readFile();
    const digest = digestOf(bytes);
    if (!seen && !context.files.knowsContent(digest))
      return refuse(`${path} has not been read yet. Read it first, then ${verb} it.`);
    if (seen && digest !== seen.digest) {
      return refuse(`${path} has changed on disk since it was read. Read it again, then ${verb} it.`);
    }
    const file = looksBinary(bytes) ? undefined : decodeTextFile(bytes);
    if (!file) return refuse(`${path} is not UTF-8 text. Change it with a program, such as sed.`);
    return { kind: "text", realPath: real, file, bytes };
  } finally {
    await handle.close();
  }
}

const refuse = (message: string) => ({ kind: "refused", message }) as const;

/** Called right before the file is replaced, so that a change by another process is not lost. */
export async function isUnchanged(realPath: string, bytes: Buffer | undefined): Promise<boolean> {
  const opened = await openRegularFile(realPath);
  if (!opened.ok) return opened.missing && bytes === undefined;
  try {
    if (bytes === undefined) return false;
    return bytes.equals(await opened.handle.readFile());
  } finally {
    await opened.handle.close();
  }
}
