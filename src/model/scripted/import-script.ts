import { randomUUID } from "node:crypto";
import { access, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import type * as Stripper from "@swc/wasm-typescript";
import * as z from "zod";
import { TroupeError } from "../../protocol/index.ts";
import { addScriptHooks, stripperPath } from "./script-hooks.ts";

/** Returns the default export of a script module. Every load runs the module again, so its state is not shared. */
export async function importScript(path: string, file: string): Promise<unknown> {
  await assertThere(path, file);
  addScriptHooks();
  const url = `${pathToFileURL(path).href}?script=${randomUUID()}`;
  const module = await load(url, file);
  if (module["default"] === undefined) {
    throw new TroupeError("script", `script ${file} has no default export. Write \`export default script({ … })\``);
  }
  return module["default"];
}

async function assertThere(path: string, file: string): Promise<void> {
  try {
    await access(path);
  } catch (cause) {
    throw new TroupeError("script", `script ${file} does not exist (looked for ${path})`, { cause });
  }
}

async function load(url: string, file: string): Promise<Record<string, unknown>> {
  try {
    return (await import(/* @vite-ignore */ url)) as Record<string, unknown>;
  } catch (cause) {
    const { message, stack = "" } = cause instanceof Error ? cause : new Error(String(cause));
    const path = fileURLToPath(url);
    const line =
      lineIn(`${message}\n${stack}`, path) ?? (cause instanceof SyntaxError ? await syntaxLine(path) : undefined);
    const place = line === undefined ? "" : `:${line}`;
    const what = message.split("\n")[0]?.replace(`${path}${place}: `, "");
    throw new TroupeError("script", `cannot load script ${file}${place}: ${what}`, { cause });
  }
}

/** Finds the line where the error names the script: `…/script.ts:3` or `…/script.ts?script=…:3:7`. */
function lineIn(text: string, path: string): number | undefined {
  const from = text.indexOf(path);
  const found = from < 0 ? undefined : /^(?:\?[\w=-]*)?:(\d+)/.exec(text.slice(from + path.length))?.[1];
  return found === undefined ? undefined : Number(found);
}

/** Node does not report the position of a syntax error, but the type stripper's parser does. */
async function syntaxLine(path: string): Promise<number | undefined> {
  const stripper = stripperPath();
  if (!stripper) return undefined;
  const { transformSync } = createRequire(stripper)(stripper) as typeof Stripper;
  const source = await readFile(path, "utf8");
  try {
    transformSync(source, { mode: "strip-only", module: true, filename: path });
    return undefined;
  } catch (problem) {
    return z.object({ startLine: z.number() }).safeParse(problem).data?.startLine;
  }
}
