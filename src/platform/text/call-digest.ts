import { createHash } from "node:crypto";

/** Binds an answer to its request: the tool and its exact input. */
export function digestOfCall(tool: string, input: unknown): string {
  return createHash("sha256")
    .update(`${tool}\n${canonicalJson(input)}`)
    .digest("hex");
}

/**
 * Returns JSON without blanks and with sorted keys. It is independent of the order of keys, because the data is stored
 * and parsed between request and answer.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const entries = Object.entries(value)
    .filter(([, each]) => each !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, each]) => `${JSON.stringify(key)}:${canonicalJson(each)}`).join(",")}}`;
}
