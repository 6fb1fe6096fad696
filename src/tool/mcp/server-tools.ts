import type { Tool as ServerTool } from "@modelcontextprotocol/client";
import type { Tool } from "../define-tool.ts";
import { mcpTool } from "./mcp-tool.ts";
import type { McpEntry } from "./mcp-hub.ts";
import type { McpServer } from "./mcp-server.ts";
import { toolDigest } from "./tool-digest.ts";
import { toolNames } from "./tool-name.ts";

/** Stores, across sessions, the digest of each tool when it was last allowed to run. */
export interface ToolPins {
  get(tool: PinnedTool): string | undefined;
  set(tool: PinnedTool, digest: string): Promise<void>;
}

export interface PinnedTool {
  /** The file or flag that contains the server. */
  readonly source: string;
  readonly server: string;
  readonly tool: string;
}

export interface ServerToolsOptions {
  readonly server: McpServer;
  readonly entry: McpEntry;
  readonly safeName: string;
  readonly pins: ToolPins;
  readonly onNotice: (message: string) => void;
}

const maxTools = 256;
const schemaLimit = 100_000;

/** The tools of one server. Only tools whose definition has changed are created again. */
export function createServerTools({ server, entry, safeName, pins, onNotice }: ServerToolsOptions) {
  let offered: readonly ServerTool[] = [];
  let tools: readonly Tool[] = [];
  let made = new Map<string, { digest: string; tool: Tool }>();
  /** The digest of each tool when this session first saw it. */
  const firstSeen = new Map<string, string>();
  const reported = new Set<string>();

  const usable = (list: readonly ServerTool[]): readonly ServerTool[] => {
    const fitting = list.filter((tool) => JSON.stringify(tool.inputSchema).length <= schemaLimit);
    const kept = fitting.slice(0, maxTools);
    const left = list.length - kept.length;
    const notice = `${server.name}: ${left} of its ${list.length} tools are ignored: too many tools, or schemas too large`;
    if (left > 0) reportOnce(notice);
    return kept;
  };
  const reportOnce = (notice: string) => {
    if (reported.has(notice)) return;
    reported.add(notice);
    onNotice(notice);
  };

  const make = (definition: ServerTool, name: string) => {
    const digest = typeof entry.config === "string" ? "" : toolDigest(entry.config, definition);
    const known = made.get(name);
    if (known?.digest === digest) return known;
    const pin = { source: entry.source, server: server.name, tool: definition.name };
    const seen = firstSeen.get(definition.name) ?? digest;
    firstSeen.set(definition.name, seen);
    const changed = () => (pins.get(pin) ?? firstSeen.get(definition.name)) !== digest;
    if (changed()) {
      reportOnce(
        `${server.name}: the tool ${definition.name} has changed since it was allowed, so it needs approval again`,
      );
    }
    const allowed = async () => {
      firstSeen.set(definition.name, digest);
      if (pins.get(pin) !== digest) await pins.set(pin, digest);
    };
    return { digest, tool: mcpTool({ server, name, definition, changed, allowed }) };
  };

  return {
    all(): readonly Tool[] {
      if (server.offer.tools === offered) return tools;
      offered = server.offer.tools;
      const kept = usable(offered);
      const names = toolNames(
        safeName,
        kept.map(({ name }) => name),
      );
      const next = new Map<string, { digest: string; tool: Tool }>();
      for (const definition of kept) {
        const name = names.get(definition.name) ?? definition.name;
        next.set(name, make(definition, name));
      }
      made = next;
      tools = [...next.values()].map(({ tool }) => tool);
      return tools;
    },
  };
}
