import { createRequire, register } from "node:module";
import { pathToFileURL } from "node:url";
import { scriptHooksSource } from "./script-hooks-source.ts";

/**
 * Lets a script import `troupe/testing` from any folder, and lets Node 20 read TypeScript. Module hooks belong to the
 * process and cannot be removed, so a flag on the process records them.
 */
export function addScriptHooks(): void {
  const marks = globalThis as { [hooksAdded]?: true };
  if (marks[hooksAdded]) return;
  const source = `data:text/javascript,${encodeURIComponent(scriptHooksSource)}`;
  const readsTypes = "typescript" in process.features && Boolean(process.features.typescript);
  register(source, { data: { testing: ownTestingUrl(), stripper: readsTypes ? undefined : stripperPath() } });
  marks[hooksAdded] = true;
}

const hooksAdded = Symbol.for("troupe.script-hooks");

/** Undefined when the package is not built. Then only the script's own `node_modules` can provide it. */
function ownTestingUrl(): string | undefined {
  try {
    return pathToFileURL(createRequire(import.meta.url).resolve("troupe/testing")).href;
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Returns the path of the package that strips types from TypeScript, or undefined when it is not installed. */
export function stripperPath(): string | undefined {
  try {
    return createRequire(import.meta.url).resolve("@swc/wasm-typescript");
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

const isNotFound = (error: unknown): boolean =>
  error instanceof Error &&
  "code" in error &&
  /^(MODULE_NOT_FOUND|ERR_PACKAGE_PATH_NOT_EXPORTED)$/.test(String(error.code));
