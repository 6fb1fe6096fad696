import { nearestName } from "../../../platform/index.ts";
import { findNodeAtLocation, type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import * as z from "zod";
import { Settings } from "../../../protocol/index.ts";
import type { BrokenFile } from "./read-settings-files.ts";

/** What is wrong, where, in words for whoever has to mend it. Line and column count from 1. */
export interface SettingsProblem {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  readonly field?: string;
  readonly message: string;
}

/** `file:line:column: field: what is wrong`: one line. */
export function problemLine({ file, line, column, field, message }: SettingsProblem): string {
  const place = line === undefined ? file : `${file}:${line}:${column ?? 1}`;
  return field ? `${place}: ${field}: ${message}` : `${place}: ${message}`;
}

/** At least one. Only loaded when something is wrong: the parser that knows positions is not needed for files that are right. */
export function describeProblems(file: string, broken: BrokenFile): SettingsProblem[] {
  const problems = problemsOf(file, broken);
  return problems.length > 0 ? problems : [{ file, message: "the settings are not valid" }];
}

function problemsOf(file: string, { text, fault }: BrokenFile): SettingsProblem[] {
  switch (fault.kind) {
    case "unreadable":
      return [{ file, message: `the settings cannot be read: ${fault.reason}` }];
    case "empty":
      return [{ file, line: 1, column: 1, message: "the file is empty: write {} or remove it" }];
    case "deep":
      return [{ file, message: "the JSON is nested too deep for settings (64 levels)" }];
    case "syntax":
      return [syntaxProblem(file, text)];
    case "duplicate":
      return properties(parseTree(text))
        .filter((property, index, all) => all.findIndex((other) => sameProperty(other, property)) < index)
        .map((property) => ({
          ...problemAt(file, text, property),
          message: "the key is there twice: remove one of them",
        }));
    case "prototype":
      return properties(parseTree(text))
        .filter((property) => property.path.at(-1) === "__proto__")
        .map((property) => ({ ...problemAt(file, text, property), message: "the key is not allowed: remove it" }));
    case "shape": {
      const tree = parseTree(text);
      return fault.issues.flatMap((issue) =>
        issueProblems(issue).map((found) => located(file, text, { tree, ...found })),
      );
    }
  }
}

function syntaxProblem(file: string, text: string): SettingsProblem {
  const errors: ParseError[] = [];
  parseTree(text, errors, { disallowComments: true });
  const [first] = errors.toSorted((a, b) => a.offset - b.offset);
  const name = first ? printParseErrorCode(first.error) : "InvalidSymbol";
  const words = name === "InvalidCommentToken" ? "comments are not allowed in JSON" : lowerFirst(name);
  return { file, ...positionOf(text, first?.offset ?? 0), message: `not valid JSON: ${words}` };
}

const lowerFirst = (name: string): string =>
  name.replace(/\B[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).toLowerCase();

interface FoundProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
  /** The key is at fault, not its value. */
  readonly key?: boolean;
}

function issueProblems(issue: z.core.$ZodIssue): FoundProblem[] {
  const path = issue.path.map((part) => (typeof part === "number" ? part : String(part)));
  if (issue.code === "unrecognized_keys") {
    const known = knownKeys(path);
    return issue.keys.map((key) => {
      const near = nearestName(key, known);
      const hint = near ? `did you mean ${JSON.stringify(near)}?` : `there is ${known.join(", ")}`;
      return { path: [...path, key], message: `unknown key; ${hint}`, key: true };
    });
  }
  if (issue.code === "invalid_key") {
    return [{ path, message: issue.issues[0]?.message ?? issue.message, key: true }];
  }
  return [{ path, message: issue.message.replace(/^Invalid (?:input|option): /, "").replace(/^Too/, "too") }];
}

/** The keys that the schema knows at a place. */
function knownKeys(path: readonly (string | number)[]): string[] {
  let schema: z.core.JSONSchema.BaseSchema = z.toJSONSchema(Settings, { io: "input" });
  for (const part of path) {
    const next = schema.properties?.[part] ?? schema.additionalProperties;
    if (typeof next !== "object") return [];
    schema = next;
  }
  return Object.keys(schema.properties ?? {}).filter((key) => key !== "$schema");
}

function located(file: string, text: string, found: FoundProblem & { tree: Node | undefined }): SettingsProblem {
  const { tree, path, message, key } = found;
  const value = tree && findNodeAtLocation(tree, [...path]);
  const node = key || !value ? (value?.parent?.children?.[0] ?? deepest(tree, path)) : value;
  return { file, ...positionOf(text, node?.offset ?? 0), ...(path.length > 0 && { field: fieldName(path) }), message };
}

/** For what is missing: the nearest thing around it that is there. */
function deepest(tree: Node | undefined, path: readonly (string | number)[]): Node | undefined {
  if (!tree) return undefined;
  for (let length = path.length - 1; length >= 0; length--) {
    const node = findNodeAtLocation(tree, path.slice(0, length));
    if (node) return node;
  }
  return tree;
}

interface Property {
  readonly path: readonly string[];
  readonly offset: number;
}

function properties(node: Node | undefined, path: readonly string[] = []): Property[] {
  if (!node) return [];
  return (node.children ?? []).flatMap((child, index) => {
    if (child.type !== "property") return properties(child, [...path, String(index)]);
    const [key, value] = child.children ?? [];
    const here = [...path, String(key?.value)];
    return [{ path: here, offset: child.offset }, ...properties(value, here)];
  });
}

const sameProperty = (a: Property, b: Property): boolean => a.path.join("\n") === b.path.join("\n");

function problemAt(file: string, text: string, { path, offset }: Property) {
  return { file, ...positionOf(text, offset), field: fieldName(path) };
}

function positionOf(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset).split("\n");
  return { line: before.length, column: (before.at(-1) ?? "").length + 1 };
}

const fieldName = (path: readonly (string | number)[]): string =>
  path.reduce<string>(
    (name, part) => (typeof part === "number" ? `${name}[${part}]` : name ? `${name}.${part}` : part),
    "",
  );
