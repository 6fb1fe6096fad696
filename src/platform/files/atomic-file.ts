import { randomBytes } from "node:crypto";
import { open, readFile, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { ParseError } from "jsonc-parser";
import * as z from "zod";
import { TroupeError, type TroupeErrorCode } from "../../protocol/index.ts";
import { hasErrorCode, storageError } from "./storage-error.ts";
import { syncFolder } from "./sync-folder.ts";

/** Readers see either the whole old content or the whole new content, even after a power cut. */
export async function writeFileAtomic(
  path: string,
  data: string | Uint8Array,
  { mode = 0o600 }: { readonly mode?: number } = {},
): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path).slice(0, 100)}.${randomBytes(9).toString("hex")}.tmp`);
  try {
    const file = await open(temporary, "wx", mode);
    try {
      await file.writeFile(data);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
    await syncFolder(dirname(path));
  } catch (error) {
    const { message } = storageError("write", path, error);
    const left = await rm(temporary, { force: true }).then(
      () => "",
      () => ` ${temporary} was not removed.`,
    );
    throw new TroupeError("storage", message + left, { cause: error });
  }
}

/**
 * Reads and validates a JSON file. Returns undefined only if the file does not exist. Any other problem is an error
 * that names the file, the position and the reason.
 */
export async function readJsonFile<T>(
  path: string,
  schema: z.ZodType<T>,
  { code = "storage" }: { readonly code?: TroupeErrorCode } = {},
): Promise<T | undefined> {
  const text = await readText(path, code);
  if (text === undefined) return undefined;
  const parsed = schema.safeParse(await parseJson(text.replace(/^\uFEFF/, ""), { path, code }));
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(
    (issue) => `${z.core.toDotPath(issue.path) || "the whole file"}: ${issue.message}`,
  );
  throw new TroupeError(
    code,
    `cannot use ${path}: its content is not valid: ${problems.slice(0, 3).join("; ")}. Fix the file or move it.`,
    {
      cause: parsed.error,
    },
  );
}

async function readText(path: string, code: TroupeErrorCode): Promise<string | undefined> {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await readFile(path));
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return undefined;
    if (hasErrorCode(error, "ERR_ENCODING_INVALID_ENCODED_DATA")) {
      throw new TroupeError(code, `cannot use ${path}: it is not UTF-8 text. Fix the file or move it.`, {
        cause: error,
      });
    }
    throw new TroupeError(code, storageError("read", path, error).message, { cause: error });
  }
}

async function parseJson(text: string, file: { path: string; code: TroupeErrorCode }): Promise<unknown> {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    const problem = text.trim() === "" ? " is empty" : await locate(text);
    throw new TroupeError(file.code, `${file.path}${problem}, so it is not JSON. Fix the file or move it.`, { cause });
  }
}

/** JSON.parse does not always give the position. The parser that does is loaded only for the message. */
async function locate(text: string): Promise<string> {
  const { parse, printParseErrorCode } = await import("jsonc-parser");
  const errors: ParseError[] = [];
  parse(text, errors, { disallowComments: true });
  const first = errors[0];
  if (first === undefined) return " cannot be parsed";
  const before = text.slice(0, first.offset).split("\n");
  const place = `:${before.length}:${(before.at(-1)?.length ?? 0) + 1}`;
  return `${place} has an error (${printParseErrorCode(first.error)})`;
}
