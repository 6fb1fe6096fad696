import { createHash } from "node:crypto";

/** Binds an answer to what was asked: the tool and its exact input. */
export function digestOfCall(tool: string, input: unknown): string {
  return createHash("sha256")
    .update(`${tool}\n${canonical(input)}`)
    .digest("hex");
}

/** The same for the same data, whatever order its keys are in: it is written and read between asking and answering. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const entries = Object.entries(value)
    .filter(([, each]) => each !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, each]) => `${JSON.stringify(key)}:${canonical(each)}`).join(",")}}`;
}
