import { createHash } from "node:crypto";

/** Binds an answer to its request: the tool and its exact input. */
export function digestOfCall(tool: string, input: unknown): string {
  return createHash("sha256")
    .update(`${tool}\n${canonical(input)}`)
    .digest("hex");
}

/** Independent of the order of keys, because the data is stored and parsed between request and answer. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const entries = Object.entries(value)
    .filter(([, each]) => each !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, each]) => `${JSON.stringify(key)}:${canonical(each)}`).join(",")}}`;
}
