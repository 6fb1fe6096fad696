import * as z from "zod";
import type { Question } from "../session/session-view.ts";

/** True for an MCP server's question to the user: the user fills in a form, and nothing is allowed by it. */
export const isElicitation = ({ tool, input }: Question): boolean =>
  tool.startsWith("mcp__") &&
  typeof input === "object" &&
  input !== null &&
  "requestedSchema" in input &&
  "message" in input;

/** A form field of a server's question. */
export interface ElicitField {
  readonly name: string;
  readonly about: string;
  readonly type: "string" | "number" | "integer" | "boolean" | "list";
  readonly choices: readonly string[];
  readonly isRequired: boolean;
}

const Property = z.looseObject({
  type: z.string().optional(),
  title: z.string().optional(),
  description: z.string().optional(),
  enum: z.array(z.string()).optional(),
});

const Form = z.looseObject({
  requestedSchema: z
    .looseObject({ properties: z.record(z.string(), Property).optional(), required: z.array(z.string()).optional() })
    .optional(),
});

/** Returns the fields of a server's question in order; empty if the question is not a form. */
export function elicitFieldsOf(input: unknown): readonly ElicitField[] {
  const form = Form.safeParse(input);
  const { properties = {}, required = [] } = (form.success && form.data.requestedSchema) || {};
  return Object.entries(properties).map(([name, { type, title, description, enum: choices = [] }]) => ({
    name,
    about: [title, description].filter((words) => words !== undefined && words !== name).join(". "),
    type: type === "number" || type === "integer" || type === "boolean" ? type : type === "array" ? "list" : "string",
    choices,
    isRequired: required.includes(name),
  }));
}

export type FieldValue =
  | { readonly value: string | number | boolean | string[] | undefined }
  | { readonly problem: string };

/** Parses the user's input for the field; undefined if left empty. */
export function parseFieldValue({ name, type, choices, isRequired }: ElicitField, written: string): FieldValue {
  const text = written.trim();
  if (text === "") return isRequired ? { problem: `${name} is required. Press Esc to decline.` } : { value: undefined };
  if (choices.length > 0 && !choices.includes(text)) return { problem: `One of: ${choices.join(", ")}` };
  switch (type) {
    case "string":
      return { value: written };
    case "list":
      return { value: text.split(/\s*,\s*/) };
    case "boolean":
      if (/^(?:y|yes|true)$/i.test(text)) return { value: true };
      return /^(?:n|no|false)$/i.test(text) ? { value: false } : { problem: "Write yes or no." };
    case "number":
    case "integer": {
      const number = Number(text);
      if (!Number.isFinite(number) || (type === "integer" && !Number.isInteger(number)))
        return { problem: type === "integer" ? "Write a whole number." : "Write a number." };
      return { value: number };
    }
  }
}
