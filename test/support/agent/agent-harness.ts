import * as z from "zod";
import { createAgent, createConversation, createLedger, createPermissions } from "../../../src/agent/index.ts";
import type { Agent, AgentOptions, EventSink, Ledger } from "../../../src/agent/index.ts";
import { createScriptedModel, type Script, type ScriptedModel } from "../../../src/model/scripted/index.ts";
import { createProcessScope, createIdFactory } from "../../../src/platform/index.ts";
import {
  type AgentId,
  type Envelope,
  type Event,
  leadPath,
  type PermissionAnswer,
  type PermissionDecision,
  type SessionId,
  type StoredEnvelope,
} from "../../../src/protocol/index.ts";
import { createMemoryLog } from "../../../src/store/index.ts";
import { createTestClock } from "../../../src/testing.ts";
import {
  type BackgroundJobs,
  createFileTracker,
  defineTool,
  textResult,
  type Tool,
  type ToolContext,
  type ToolResult,
} from "../../../src/tool/index.ts";

export interface HarnessOptions {
  readonly script: Script;
  readonly tools?: readonly Tool[];
  readonly decide?: (tool: Tool, input: unknown) => PermissionDecision;
  readonly answer?: () => Promise<PermissionAnswer> | undefined;
  readonly ledger?: Ledger;
  readonly costOf?: AgentOptions["costOf"];
  readonly maxTurns?: number;
  /** Events of a previous run of the same agent. */
  readonly log?: readonly StoredEnvelope[];
  readonly sink?: (sink: EventSink) => EventSink;
}

export interface Harness {
  readonly agent: Agent;
  readonly model: ScriptedModel;
  readonly envelopes: Envelope[];
  readonly events: () => Event[];
  readonly stored: () => StoredEnvelope[];
  readonly names: () => string[];
  readonly saved: Map<string, string>;
  say(text: string): Promise<void>;
  /** Sends the prompt and waits until the agent is idle. */
  run(text: string): Promise<void>;
  /** Resolves when an event of this type has been published. */
  happened(type: Event["type"], count?: number): Promise<void>;
}

/** One agent in memory: a scripted model, the test's own tools, no disk. */
export function harness(options: HarnessOptions): Harness {
  const clock = createTestClock({ auto: true });
  const createId = createIdFactory(clock);
  const model = createScriptedModel(options.script, { clock });
  const kept: StoredEnvelope[] = [...(options.log ?? [])];
  const log = createMemoryLog({
    session: "ses_00000000" as SessionId,
    agent: "agt_00000000" as AgentId,
    clock,
    createId,
    kept,
  });
  const conversation = createConversation();
  for (const { event } of kept) conversation.apply(event);
  const envelopes: Envelope[] = [];
  const waiters = new Set<() => void>();
  const saved = new Map<string, string>();
  const scope = createProcessScope();
  const allow = (): PermissionDecision => ({ behavior: "allow", rule: "test" });
  const decide = options.decide ?? allow;
  const agent = createAgent({
    session: "ses_00000000" as SessionId,
    agent: { id: "agt_00000000" as AgentId, path: leadPath, type: "lead" },
    model: () => model,
    tools: () => options.tools ?? [echoTool],
    conversation,
    sink: options.sink ? options.sink(log) : log,
    seq: kept.at(-1)?.seq ?? 0,
    publish: (envelope) => {
      envelopes.push(envelope);
      for (const look of waiters) look();
    },
    permissions: createPermissions({
      decide: async (tool, input) => decide(tool, input),
      ask: () => options.answer?.(),
      remember: async () => undefined,
      createId,
      agent: () => ({ tools: (options.tools ?? [echoTool]).map(({ name }) => name), plan: "planner", type: "lead" }),
    }),
    ledger: options.ledger ?? createLedger(),
    costOf: options.costOf ?? (() => 0),
    maxTurns: options.maxTurns,
    saveOutput: async (name, data) => {
      saved.set(name, data);
      return `/saved/${name}`;
    },
    contextFor: (call): ToolContext => ({
      ...call,
      agent: { id: "agt_00000000" as AgentId, path: leadPath },
      cwd: "/",
      roots: ["/"],
      env: {},
      files: createFileTracker(),
      background: noBackground,
      processes: scope,
      outputFile: async (name) => `/saved/${name}`,
    }),
    clock,
    createId,
  });
  const say = async (text: string) => {
    await agent.admit("user", [{ type: "text", text }]);
    agent.wake();
  };
  return {
    agent,
    model,
    envelopes,
    saved,
    events: () => envelopes.map(({ event }) => event),
    stored: () => kept,
    names: () => kept.map(({ event }) => event.type),
    say,
    async run(text) {
      await say(text);
      await agent.settled();
    },
    happened: (type, count = 1) =>
      new Promise((resolve) => {
        const look = () => {
          if (envelopes.filter(({ event }) => event.type === type).length < count) return;
          waiters.delete(look);
          resolve();
        };
        waiters.add(look);
        look();
      }),
  };
}

const noBackground: BackgroundJobs = {
  start: () => Promise.reject(new Error("no background here")),
  get: () => undefined,
  list: () => [],
  stopAll: async () => undefined,
};

export const makeTool = (
  name: string,
  access: Tool["access"],
  execute: (input: { text: string }, context: ToolContext) => Promise<ToolResult>,
): Tool =>
  defineTool({
    name,
    description: `The tool ${name}.`,
    input: z.object({ text: z.string() }),
    access,
    subject: () => ({ kind: "none" }),
    title: (input) => `${name} ${input.text}`,
    execute,
  });

export const echoTool: Tool = makeTool("Echo", "read", async ({ text }) => textResult(text));

export const step = (text: string, ...calls: [tool: string, text: unknown][]) => ({
  text,
  calls: calls.map(([tool, said]) => ({ tool, input: { text: said } })),
});
