/**
 * The hooks run in a separate thread. Node receives them as text because a bundle has no file to name. They load the
 * type stripper on the first `.ts` file.
 */
export const scriptHooksSource = `
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

let data;
let strip;

export const initialize = (given) => void (data = given);

export async function resolve(specifier, context, next) {
  if (specifier !== "troupe/testing" || !data.testing) return next(specifier, context);
  return { url: data.testing, shortCircuit: true };
}

export async function load(url, context, next) {
  if (!data.stripper || !/^file:.*\\.m?ts$/.test(url.split("?")[0]) || url.includes("/node_modules/")) return next(url, context);
  const path = fileURLToPath(url.split("?")[0]);
  strip ??= createRequire(data.stripper)(data.stripper).transformSync;
  try {
    const { code } = strip(await readFile(path, "utf8"), { mode: "strip-only", module: true, filename: path });
    return { format: "module", source: code, shortCircuit: true };
  } catch (error) {
    if (error instanceof Error) throw error;
    throw new SyntaxError(path + ":" + error.startLine + ": " + error.message);
  }
}
`;
