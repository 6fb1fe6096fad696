import { join, resolve } from "node:path";
import * as z from "zod";
import { realPathSync } from "../../platform/index.ts";
import type { ToolContext } from "../define-tool.ts";

/** A path as a model writes it: absolute, from the working directory, or from the user's home with `~/`. */
export const PathInput = z
  .string()
  .min(1, "must not be empty")
  .max(4096, "is too long for a path")
  .refine((path) => !path.includes("\0"), "must not have a NUL byte in it");

export function resolvePath(path: string, context: Pick<ToolContext, "cwd" | "env">): string {
  const home = context.env["HOME"];
  if (home !== undefined && (path === "~" || path.startsWith("~/"))) return join(home, path.slice(1));
  return resolve(context.cwd, path);
}

/** The real path to open for `path` (as `resolvePath` gives it): the one that was judged, wherever a link leads by now. */
export const pathToOpen = (path: string, { judgedPath }: Pick<ToolContext, "judgedPath">): string =>
  judgedPath ?? realPathSync(path);
