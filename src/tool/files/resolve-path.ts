import { join, resolve } from "node:path";
import * as z from "zod";
import { realPathSync } from "../../platform/index.ts";
import type { ToolContext } from "../define-tool.ts";

/** A path from the model: absolute, relative to the working directory, or in the user's home with `~/`. */
export const PathInput = z
  .string()
  .min(1, "must not be empty")
  .max(4096, "is too long for a path")
  .refine((path) => !path.includes("\0"), "must not contain a NUL byte");

export function resolvePath(path: string, context: Pick<ToolContext, "cwd" | "env">): string {
  const home = context.env["HOME"];
  if (home !== undefined && (path === "~" || path.startsWith("~/"))) return join(home, path.slice(1));
  return resolve(context.cwd, path);
}

/**
 * Returns the real path to open for `path` (as `resolvePath` returns it): the path that was authorized, even if a link
 * changed since.
 */
export const pathToOpen = (path: string, { judgedPath }: Pick<ToolContext, "judgedPath">): string =>
  judgedPath ?? realPathSync(path);

/**
 * A path as a model reads it, or a text that begins with one: relative to the working directory if it is below that.
 * Absolute paths cost many tokens.
 */
export const shownPath = (path: string, { cwd }: Pick<ToolContext, "cwd">): string =>
  path === cwd ? "." : path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path;
