import { nearestName } from "../platform/index.ts";
import type { Tool } from "./define-tool.ts";

export interface ToolSelection {
  /** Only these tools. Default: all. */
  readonly allowed?: readonly string[];
  /** Excluded tools, even if allowed. */
  readonly disallowed?: readonly string[];
}

export interface SelectedTools {
  readonly tools: readonly Tool[];
  readonly unknown: readonly { readonly name: string; readonly nearest: string | undefined }[];
}

/** Selects tools by name; `mcp__server` and `*` match several. A name that matches no tool is reported. */
export function selectTools(tools: readonly Tool[], selection: ToolSelection): SelectedTools {
  const names = tools.map((tool) => tool.name);
  const asked = [...(selection.allowed ?? []), ...(selection.disallowed ?? [])];
  const unknown = [...new Set(asked)].filter((wanted) => !names.some((name) => isNamed(wanted, name)));
  const selected = tools.filter(
    ({ name }) =>
      (selection.allowed?.some((wanted) => isNamed(wanted, name)) ?? true) &&
      !selection.disallowed?.some((wanted) => isNamed(wanted, name)),
  );
  return { tools: selected, unknown: unknown.map((name) => ({ name, nearest: nearestName(name, names) })) };
}

const isNamed = (wanted: string, name: string) =>
  wanted === "*" || wanted === name || (wanted.startsWith("mcp__") && name.startsWith(`${wanted}__`));
