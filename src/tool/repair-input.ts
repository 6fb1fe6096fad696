import type * as z from "zod";
import { nearestName } from "../platform/index.ts";

type Issue = z.core.$ZodIssue;
type Fields = Record<string, unknown>;

/** Field names that models use for a field of another name. The first one that the tool has and the input lacks wins. */
const aliases: Readonly<Record<string, readonly string[]>> = {
  path: ["file_path", "notebook_path"],
  file: ["file_path", "notebook_path"],
  filename: ["file_path", "notebook_path"],
  filepath: ["notebook_path"],
  cell: ["cell_number"],
  cellid: ["cell_number"],
  cellindex: ["cell_number"],
  source: ["new_source"],
  cmd: ["command"],
  query: ["pattern"],
  regex: ["pattern"],
  include: ["glob"],
  glob: ["pattern"],
  oldstr: ["old_string"],
  oldtext: ["old_string"],
  newstr: ["new_string"],
  newtext: ["new_string"],
  contents: ["content"],
  filetext: ["content"],
  content: ["message"],
  text: ["message", "content"],
  recipient: ["to"],
  title: ["subject", "description"],
  agenttype: ["subagent_type"],
  type: ["subagent_type"],
  taskid: ["task_id", "taskId"],
  id: ["taskId", "task_id"],
  assignee: ["owner"],
  planrequired: ["plan_mode_required"],
  planmode: ["plan_mode_required"],
  background: ["run_in_background"],
  team: ["team_name"],
  name: ["team_name"],
  branch: ["branches"],
};

/** Values that models use for one of the listed values. */
const valueAliases: Readonly<Record<string, string>> = {
  complete: "completed",
  done: "completed",
  finished: "completed",
  open: "pending",
  todo: "pending",
  started: "in_progress",
};

/**
 * Corrects harmless mistakes in a model's input: "3" for 3, `path` for `file_path`, a value in the wrong case. Returns
 * undefined if nothing was corrected. The result must be validated: nothing is added that the model did not write.
 */
export function repairInput(input: unknown, issues: readonly Issue[], fieldsAt: (path: Path) => readonly string[]) {
  if (!isFields(input)) return undefined;
  const repaired: Fields = structuredClone(input);
  const changes = issues.map((issue) => repairIssue(repaired, issue, fieldsAt(issue.path)));
  return changes.includes(true) ? repaired : undefined;
}

/** The field that the model probably meant. */
export function fieldFor(wanted: string, fields: readonly string[]): string | undefined {
  return aliasOf(wanted, fields) ?? nearestName(wanted, fields);
}

export type Path = readonly PropertyKey[];

function repairIssue(input: Fields, issue: Issue, fields: readonly string[]): boolean {
  switch (issue.code) {
    case "unrecognized_keys":
      return renameKeys(valueAt(input, issue.path), issue.keys, fields);
    case "invalid_type":
      return replaceAt(input, issue.path, (value) => converted(value, issue.expected) ?? asCommand(value, fields));
    case "invalid_value":
      return replaceAt(input, issue.path, (value) =>
        typeof value === "string" ? issue.values.find((known) => isMeant(known, value)) : undefined,
      );
    default:
      return false;
  }
}

function renameKeys(target: unknown, keys: readonly string[], fields: readonly string[]): boolean {
  if (!isFields(target)) return false;
  let hasChanged = false;
  for (const key of keys) {
    const free = fields.filter((field) => !(field in target));
    const name = aliasOf(key, free);
    const isEmpty = target[key] === null || target[key] === undefined;
    if (name === undefined && !isEmpty) continue;
    if (name !== undefined) target[name] = target[key];
    delete target[key];
    hasChanged = true;
  }
  return hasChanged;
}

const aliasOf = (key: string, fields: readonly string[]): string | undefined =>
  fields.find((field) => isAlike(field, key)) ?? aliases[plain(key)]?.find((name) => fields.includes(name));

const isAlike = (known: unknown, given: string): boolean => typeof known === "string" && plain(known) === plain(given);

const isMeant = (known: unknown, given: string): boolean =>
  isAlike(known, given) || (known !== undefined && known === valueAliases[plain(given)]);

const plain = (text: string) => text.toLowerCase().replace(/[\s_-]/g, "");

/** `undefined`: it cannot be converted without guessing. */
function converted(value: unknown, expected: string): unknown {
  if (value === null) return remove;
  switch (expected) {
    case "number":
    case "int":
      return typeof value === "string" && /^#?-?\d+(\.\d+)?$/.test(value.trim())
        ? Number(value.trim().replace("#", ""))
        : undefined;
    case "boolean":
      return typeof value === "string" && /^(true|false)$/i.test(value) ? value.toLowerCase() === "true" : undefined;
    case "string":
      return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
    case "array":
      return listOf(value);
    case "object":
    case "record":
      return typeof value === "string" ? parsedJson(value, isFields) : undefined;
    default:
      return undefined;
  }
}

/** A model writes a check as a line instead of an object. */
const asCommand = (value: unknown, fields: readonly string[]): Fields | undefined =>
  typeof value === "string" && fields.includes("command") ? { command: value } : undefined;

function listOf(value: unknown): readonly unknown[] | undefined {
  if (typeof value !== "string") return value === undefined ? undefined : [value];
  const list = parsedJson(value, Array.isArray);
  if (list) return list;
  return /^#?\d+(\s*,\s*#?\d+)*$/.test(value.trim()) ? value.split(",").map((item) => item.trim()) : [value];
}

function parsedJson<T>(text: string, isExpected: (value: unknown) => value is T): T | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isExpected(value) ? value : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const remove = Symbol("remove");

function replaceAt(input: Fields, path: Path, replace: (value: unknown) => unknown): boolean {
  const key = path.at(-1);
  const parent = valueAt(input, path.slice(0, -1));
  if (key === undefined || typeof parent !== "object" || parent === null || !(key in parent)) return false;
  const target = parent as Record<PropertyKey, unknown>;
  const next = replace(target[key]);
  if (next === undefined) return false;
  if (next === remove) delete target[key];
  else target[key] = next;
  return true;
}

function valueAt(input: unknown, path: Path): unknown {
  let value = input;
  for (const key of path) {
    if (typeof value !== "object" || value === null) return undefined;
    value = (value as Record<PropertyKey, unknown>)[key];
  }
  return value;
}

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);
