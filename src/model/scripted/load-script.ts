import { readFile } from "node:fs/promises";
import { extname, resolve } from "node:path";
import type { Node, ParseError } from "jsonc-parser";
import type * as z from "zod";
import { TroupeError } from "../../protocol/index.ts";
import { faultyPlaceholder } from "./fill-template.ts";
import { type AnswerFunction, Script } from "./script.ts";

/** Reads and checks a script. Any problem is one `TroupeError` with its location. */
export async function loadScript(file: string, cwd = "."): Promise<Script> {
  const path = resolve(cwd, file);
  switch (extname(path)) {
    case ".json":
      return loadJson(path, file);
    case ".js":
    case ".mjs":
    case ".ts":
    case ".mts": {
      const { importScript } = await import("./import-script.ts");
      return scriptFrom(await importScript(path, file), file);
    }
    default:
      throw new TroupeError("script", `script ${file} must be a .json, .js, .mjs or .ts file`);
  }
}

/** `value` is an object in the format of `Script`, or a function that gives every answer. */
export function scriptFrom(value: unknown, file: string, lineOf: LineOf = () => undefined): Script {
  if (typeof value === "function") return { version: 1, rules: [{ answer: value as AnswerFunction }] };
  const parsed = Script.safeParse(value);
  const problem = parsed.success ? faultyText(parsed.data) : issueOf(parsed.error);
  if (parsed.success && !problem) return parsed.data;
  const { path = [], message = "" } = problem ?? {};
  const line = lineOf(path);
  const place = `${line === undefined ? "" : `:${line}`}${path.length > 0 ? `, ${fieldName(path)}` : ""}`;
  throw new TroupeError(
    "script",
    `script ${file}${place}: ${message}. See docs/reference/script-format.md for the format`,
  );
}

type Path = readonly PropertyKey[];
type LineOf = (path: Path) => number | undefined;
interface Problem {
  readonly path: Path;
  readonly message: string;
}

async function loadJson(path: string, file: string): Promise<Script> {
  const text = await readScript(path, file);
  const { findNodeAtLocation, parseTree, printParseErrorCode } = await import("jsonc-parser");
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const broken = errors[0];
  if (broken || !root) {
    const line = lineAt(text, broken?.offset ?? 0);
    const what = broken ? printParseErrorCode(broken.error) : "it is empty";
    throw new TroupeError("script", `script ${file}:${line} is not valid JSON: ${what}. Fix the syntax error`);
  }
  return scriptFrom(toValue(root), file, (field) => {
    // A missing field has no position: use the nearest node around it.
    for (let depth = field.length; depth >= 0; depth--) {
      const node = findNodeAtLocation(root, field.slice(0, depth) as (string | number)[]);
      if (node) return lineAt(text, node.offset);
    }
    return undefined;
  });
}

async function readScript(path: string, file: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    const message =
      code === "ENOENT" ? `does not exist (looked for ${path})` : `cannot be read: ${(cause as Error).message}`;
    throw new TroupeError("script", `script ${file} ${message}`, { cause });
  }
}

/** Not `getNodeValue`: with it a key `__proto__` would set a prototype. */
function toValue(node: Node): unknown {
  if (node.type === "array") return (node.children ?? []).map(toValue);
  if (node.type !== "object") return node.value;
  return Object.fromEntries(
    (node.children ?? []).flatMap(({ children: [key, value] = [] }) =>
      key && value ? [[key.value, toValue(value)]] : [],
    ),
  );
}

const lineAt = (text: string, offset: number): number => text.slice(0, offset).split("\n").length;

function issueOf(error: z.ZodError): Problem {
  const issue = error.issues[0];
  return { path: issue?.path ?? [], message: issue?.message ?? "is not a script" };
}

function faultyText(script: Script): Problem | undefined {
  if (script.templates === false) return undefined;
  const lists = Object.entries(script.agents ?? {}).map(([agent, { steps }]) => ({
    at: ["agents", agent, "steps"],
    steps,
  }));
  const answers: { path: Path; answer: unknown }[] = [
    ...(script.rules ?? []).map(({ answer }, index) => ({ path: ["rules", index, "answer"], answer })),
    ...[{ at: ["steps"], steps: script.steps ?? [] }, ...lists].flatMap(({ at, steps }) =>
      steps.map((answer, index) => ({ path: [...at, index], answer })),
    ),
  ];
  for (const { path, answer } of answers) {
    const problem = typeof answer === "function" ? undefined : faultyIn(answer, path);
    if (problem) return problem;
  }
  return undefined;
}

function faultyIn(value: unknown, path: Path): Problem | undefined {
  if (typeof value === "string") {
    const message = faultyPlaceholder(value);
    return message === undefined ? undefined : { path, message };
  }
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, item] of Object.entries(value)) {
    const problem = faultyIn(item, [...path, Array.isArray(value) ? Number(key) : key]);
    if (problem) return problem;
  }
  return undefined;
}

const fieldName = (path: Path): string =>
  path.map((key, index) => (typeof key === "number" ? `[${key}]` : `${index > 0 ? "." : ""}${String(key)}`)).join("");
