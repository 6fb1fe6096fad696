import { nearestName } from "../../../platform/index.ts";
import { findNodeAtLocation, type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import * as z from "zod";
import { Settings } from "../../../protocol/index.ts";
import type { BrokenFile } from "./read-settings-files.ts";

/** A problem in a settings file with its position. Line and column count from 1. */
export interface SettingsProblem {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  readonly field?: string;
  readonly message: string;
}

/** Formats a problem as one line: `file:line:column: field: message`. */
export function problemLine({ file, line, column, field, message }: SettingsProblem): string {
  const place = line === undefined ? file : `${file}:${line}:${column ?? 1}`;
  return field ? `${place}: ${field}: ${message}` : `${place}: ${message}`;
}

/**
 * Returns at least one problem. This module is loaded only for invalid files, because valid ones do not need the parser
 * with positions.
 */
export function describeProblems(file: string, broken: BrokenFile): SettingsProblem[] {
  const problems = problemsOf(file, broken);
  return problems.length > 0 ? problems : [{ file, message: "the settings are invalid" }];
}

function problemsOf(file: string, { text, fault }: BrokenFile): SettingsProblem[] {
  switch (fault.kind) {
    case "unreadable":
      return [{ file, message: `cannot read the settings: ${fault.reason}` }];
    case "empty":
      return [{ file, line: 1, column: 1, message: "the file is empty. Write {} or remove the file." }];
    case "deep":
      return [{ file, message: "the JSON is nested too deeply (the limit is 64 levels)" }];
    case "syntax":
      return [syntaxProblem(file, text)];
    case "duplicate":
      return properties(parseTree(text))
        .filter((property, index, all) => all.findIndex((other) => sameProperty(other, property)) < index)
        .map((property) => ({
          ...problemAt(file, text, property),
          message: "duplicate key. Remove one of them.",
        }));
    case "prototype":
      return properties(parseTree(text))
        .filter((property) => property.path.at(-1) === "__proto__")
        .map((property) => ({ ...problemAt(file, text, property), message: "this key is not allowed. Remove it." }));
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
  /** True if the key is wrong, not its value. */
  readonly key?: boolean;
}

function issueProblems(issue: z.core.$ZodIssue): FoundProblem[] {
  const path = issue.path.map((part) => (typeof part === "number" ? part : String(part)));
  if (issue.code === "unrecognized_keys") {
    const known = knownKeys(path);
    return issue.keys.map((key) => {
      const near = nearestName(key, known);
      const hint = near ? `Did you mean ${JSON.stringify(near)}?` : `Known keys: ${known.join(", ")}`;
      return { path: [...path, key], message: `unknown key. ${hint}`, key: true };
    });
  }
  if (issue.code === "invalid_key") {
    return [{ path, message: issue.issues[0]?.message ?? issue.message, key: true }];
  }
  return [{ path, message: issue.message.replace(/^Invalid (?:input|option): /, "").replace(/^Too/, "too") }];
}

/** Returns the keys that the schema allows at a path. */
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

/** Returns the nearest existing node around a missing one. */
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
