import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createProcessScope, systemClock } from "../../../src/platform/index.ts";
import type { AgentId, AgentPath, CallId } from "../../../src/protocol/index.ts";
import {
  createMcpHub,
  type McpHub,
  McpServerConfig,
  type McpStatus,
  type PinnedTool,
} from "../../../src/tool/mcp/index.ts";
import type { Tool, ToolContext, ToolResult } from "../../../src/tool/index.ts";
import { until } from "../processes/live-processes.ts";

const require = createRequire(import.meta.url);
export const faultServer = join(import.meta.dirname, "../programs/faulty-mcp-server.mjs");
export const everythingServer = require.resolve("@modelcontextprotocol/server-everything/dist/index.js");
export const filesystemServer = require.resolve("@modelcontextprotocol/server-filesystem/dist/index.js");

export const fault = (options: object = {}) => ({
  command: process.execPath,
  args: [faultServer, JSON.stringify(options)],
});
export const everything = { command: process.execPath, args: [everythingServer, "stdio"] };

type HubOptions = Parameters<typeof createMcpHub>[0];

export interface Bench {
  readonly hub: McpHub;
  readonly folder: string;
  readonly changes: McpStatus[];
  readonly notices: string[];
  readonly pins: Map<string, string>;
  tool(name: string): Tool;
  call(name: string, input?: object, options?: CallOptions): Promise<ToolResult>;
  /** Resolves when the server is in this state. */
  reached(server: string, state: McpStatus["state"]): Promise<McpStatus>;
  statusOf(server: string): McpStatus;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly progress?: (text: string) => void;
}

export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "troupe-mcp-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A hub of real servers that ends with the test. */
export function openHub(servers: Readonly<Record<string, object>>, options: Partial<HubOptions> = {}): Bench {
  const folder = temporaryFolder();
  const processes = createProcessScope();
  const changes: McpStatus[] = [];
  const notices: string[] = [];
  const pins = new Map<string, string>();
  const key = ({ source, server, tool }: PinnedTool) => [source, server, tool].join("|");
  const hub = createMcpHub({
    entries: Object.entries(servers).map(([name, value]) => ({
      name,
      source: "test",
      config: McpServerConfig.parse(value),
    })),
    cwd: folder,
    env: { PATH: process.env["PATH"] ?? "" },
    processes,
    roots: () => [folder],
    clock: systemClock,
    startTimeoutMs: 60_000,
    callTimeoutMs: 10_000,
    backoffMs: 100,
    elicit: async () => ({ action: "decline" }),
    pins: {
      get: (tool) => pins.get(key(tool)),
      set: async (tool, digest) => void pins.set(key(tool), digest),
    },
    onChange: (status) => changes.push(status),
    onNotice: (message) => notices.push(message),
    ...options,
  });
  onTestFinished(async () => {
    await hub.close();
    await processes.close();
  });
  let count = 0;
  const tool = (name: string) => {
    const found = hub.tools().find((one) => one.name === name);
    if (!found)
      throw new Error(
        `no ${name} among ${hub
          .tools()
          .map((one) => one.name)
          .join(", ")}`,
      );
    return found;
  };
  const statusOf = (server: string) => {
    const found = hub.status().find((status) => status.server === server);
    if (!found) throw new Error(`no server ${server}`);
    return found;
  };
  return {
    hub,
    folder,
    changes,
    notices,
    pins,
    tool,
    statusOf,
    call: (name, input = {}, { signal = new AbortController().signal, progress = () => undefined } = {}) =>
      tool(name).execute(input, {
        agent: { id: "agt_test0000" as AgentId, path: "lead" as AgentPath },
        callId: `call-${++count}` as CallId,
        signal,
        cwd: folder,
        roots: [folder],
        env: {},
        processes,
        progress,
        outputFile: async (file: string) => join(folder, `out-${count}-${file}`),
      } as unknown as ToolContext),
    async reached(server, state) {
      await until(`${server} is ${state}`, () => statusOf(server).state === state);
      return statusOf(server);
    },
  };
}

export const textOf = ({ content }: ToolResult): string =>
  content.map((part) => (part.type === "text" ? part.text : `<${part.type}>`)).join("\n");
