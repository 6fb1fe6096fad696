import { access } from "node:fs/promises";
import { randomUUID } from "node:crypto";
import { pathToFileURL } from "node:url";
import { TroupeError } from "../../protocol/index.ts";
import { addScriptHooks } from "./script-hooks.ts";

/** The default export of a script in code. Every load runs the module anew: what it keeps is its own. */
export async function importScript(path: string, file: string): Promise<unknown> {
  await assertThere(path, file);
  addScriptHooks();
  const url = `${pathToFileURL(path).href}?script=${randomUUID()}`;
  const module = await load(url, file);
  if (module["default"] === undefined) {
    throw new TroupeError("script", `script ${file} has no default export; write \`export default script({ … })\``);
  }
  return module["default"];
}

async function assertThere(path: string, file: string): Promise<void> {
  try {
    await access(path);
  } catch (cause) {
    throw new TroupeError("script", `script ${file} is not there (looked for ${path})`, { cause });
  }
}

async function load(url: string, file: string): Promise<Record<string, unknown>> {
  try {
    return (await import(/* @vite-ignore */ url)) as Record<string, unknown>;
  } catch (cause) {
    const { message, stack = "" } = cause instanceof Error ? cause : new Error(String(cause));
    const line = lineIn(`${message}\n${stack}`, new URL(url).pathname);
    const place = line === undefined ? "" : `:${line}`;
    throw new TroupeError("script", `script ${file}${place} cannot be loaded: ${message.split("\n")[0]}`, { cause });
  }
}

/** Where the script itself is named in the error, `…/script.ts:3` or `…/script.ts?script=…:3:7`. */
function lineIn(text: string, pathname: string): number | undefined {
  const from = text.indexOf(pathname);
  const found = from < 0 ? undefined : /^(?:\?[\w=-]*)?:(\d+)/.exec(text.slice(from + pathname.length))?.[1];
  return found === undefined ? undefined : Number(found);
}
