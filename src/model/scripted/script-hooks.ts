import { createRequire, register } from "node:module";
import { pathToFileURL } from "node:url";
import { scriptHooksSource } from "./script-hooks-source.ts";

/**
 * Lets a script import `troupe/testing` wherever it lies, and lets Node 20 read TypeScript. Module hooks belong to the
 * process and cannot be taken back, so that they are there is kept with the process too.
 */
export function addScriptHooks(): void {
  const marks = globalThis as { [hooksAdded]?: true };
  if (marks[hooksAdded]) return;
  const source = `data:text/javascript,${encodeURIComponent(scriptHooksSource)}`;
  register(source, { data: { testing: ownTestingUrl(), stripper: stripperPath() } });
  marks[hooksAdded] = true;
}

const hooksAdded = Symbol.for("troupe.script-hooks");
const stripper = "@swc/wasm-typescript";

/** Undefined when the package is not built: then nothing but a script's own `node_modules` can help it. */
function ownTestingUrl(): string | undefined {
  try {
    return pathToFileURL(createRequire(import.meta.url).resolve("troupe/testing")).href;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

function stripperPath(): string | undefined {
  if ("typescript" in process.features && process.features.typescript) return undefined;
  try {
    return createRequire(import.meta.url).resolve(stripper);
  } catch (cause) {
    if (!isNotFound(cause)) throw cause;
    return undefined;
  }
}

const isNotFound = (error: unknown): boolean =>
  error instanceof Error &&
  "code" in error &&
  /^(MODULE_NOT_FOUND|ERR_PACKAGE_PATH_NOT_EXPORTED)$/.test(String(error.code));
