import { cutAfter } from "../../protocol/index.ts";
import type { Ask } from "./ask.ts";

const placeholder = /\{\{([A-Za-z]+)(?::\/((?:[^/\\]|\\.)+)\/(\d+))?\}\}/g;
const known = ["said", "result", "agent", "turn", "cwd"] as const;
type Known = (typeof known)[number];

/** A placeholder without a value. The message is for the author of the script. */
export class TemplateError extends Error {}

/** Replaces the placeholders in every string of `value`, at any depth. */
export function fillTemplate<T>(value: T, ask: Ask): T {
  return mapStrings(value, (text) =>
    text.replace(placeholder, (whole, ...groups: string[]) => {
      const [name = "", source, group] = groups;
      const subject = valueOf(name, ask);
      if (subject === undefined) throw new TemplateError(`${whole} has no value here`);
      if (source === undefined) return subject;
      const found = new RegExp(source).exec(subject)?.[Number(group)];
      if (found === undefined) throw new TemplateError(`${whole} found nothing in: ${quote(subject)}`);
      return found;
    }),
  ) as T;
}

/** Returns the problem with a text's placeholders, or undefined if there is none. */
export function faultyPlaceholder(text: string): string | undefined {
  for (const [whole, name = "", source] of text.matchAll(placeholder)) {
    if (!isKnown(name)) {
      return `${whole} is not a placeholder. Use one of ${known.join(", ")}, or set "templates": false to treat them as plain text`;
    }
    if (source !== undefined && !compiles(source)) return `${whole} contains an invalid regular expression`;
  }
  return undefined;
}

export const quote = (text: string): string => JSON.stringify(cutAfter(text, 120));

function valueOf(name: string, ask: Ask): string | undefined {
  const { said, result, agent, turn, cwd } = ask;
  const values: Record<Known, string | undefined> = { said, result: result?.text, agent, turn: String(turn), cwd };
  return isKnown(name) ? values[name] : undefined;
}

const isKnown = (name: string): name is Known => known.some((it) => it === name);

function compiles(source: string): boolean {
  try {
    return new RegExp(source) instanceof RegExp;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

function mapStrings(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === "string") return map(value);
  if (Array.isArray(value)) return value.map((item) => mapStrings(item, map));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapStrings(item, map)]));
}
