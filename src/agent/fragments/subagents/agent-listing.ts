import { oneLine } from "../../../protocol/index.ts";

export interface ListedAgent {
  readonly name: string;
  readonly description: string;
  readonly tools?: readonly string[] | undefined;
  readonly disallowedTools?: readonly string[] | undefined;
  /** True if it only reads. */
  readonly onlyReads?: boolean | undefined;
}

const descriptionLimit = 600;
const toolsLimit = 200;
const listLimit = 12_000;

/**
 * Lists the agent types for the Agent tool's description, sorted by name. Beyond the limit it lists only names, then a
 * number. The same definitions give the same bytes.
 */
export function agentListing(
  definitions: readonly ListedAgent[],
  { denied = [] }: { denied?: Iterable<string> } = {},
): string {
  const left = new Set(denied);
  const shown = definitions.filter(({ name }) => !left.has(name)).sort((a, b) => (a.name < b.name ? -1 : 1));
  const lines: string[] = [];
  const names: string[] = [];
  let size = 0;
  for (const agent of shown) {
    const line = `- ${agent.name}: ${cut(agent.description, descriptionLimit)} (${agent.onlyReads ? "only reads, runs no tests or programs; " : ""}tools: ${toolsOf(agent)})`;
    if (names.length === 0 && size + line.length <= listLimit * 0.8) lines.push(line);
    else if (size + agent.name.length <= listLimit) names.push(agent.name);
    else break;
    size += names.length === 0 ? line.length : agent.name.length + 2;
  }
  const more = shown.length - lines.length - names.length;
  const rest = more > 0 ? `, and ${more} more, not listed` : "";
  return [...lines, ...(names.length > 0 ? [`- without descriptions: ${names.join(", ")}${rest}`] : [])].join("\n");
}

function toolsOf({ tools, disallowedTools = [] }: ListedAgent): string {
  if (tools && !tools.includes("*")) return tools.length === 0 ? "none" : cut(tools.join(", "), toolsLimit);
  return disallowedTools.length === 0 ? "all" : cut(`all but ${disallowedTools.join(", ")}`, toolsLimit);
}

/** Puts the text on one line, so that a description cannot look like another entry. */
function cut(text: string, limit: number): string {
  const line = oneLine(text);
  return line.length > limit
    ? `${line
        .slice(0, limit)
        .replace(/[\uD800-\uDBFF]$/, "")
        .trimEnd()}…`
    : line;
}
