import { onTestFinished } from "vitest";
import * as z from "zod";
import type { Event, PermissionMode } from "../../../src/protocol/index.ts";
import {
  createSession,
  type CreateSessionOptions,
  type LibrarySession,
  type Reply,
} from "../../../src/session/index.ts";
import { createScriptedModel, type Script, systemClock } from "../../../src/testing.ts";
import { defineTool, textResult, type Tool } from "../../../src/tool/index.ts";
import { tempTree, type TempTree } from "../files/temp-tree.ts";

export type Of<T extends Event["type"]> = Extract<Event, { type: T }>;

export interface HookedSession {
  readonly tree: TempTree;
  readonly session: LibrarySession;
  readonly model: ReturnType<typeof createScriptedModel>;
  /** The inputs of the tool `Mark`, from the calls that really ran. */
  readonly marks: readonly string[];
  all<T extends Event["type"]>(type: T): Of<T>[];
  /** Sends the prompt, closes the session, and waits for its last event. */
  run(prompt?: string): Promise<Reply>;
  close(): Promise<void>;
}

export interface HookedOptions {
  readonly hooks: Readonly<Record<string, readonly object[]>>;
  readonly steps: Script["steps"];
  readonly mode?: PermissionMode;
  readonly permissions?: object;
  readonly more?: Partial<CreateSessionOptions>;
  readonly files?: Parameters<typeof tempTree>[0];
}

/** One hook for every matcher. */
export const hook = (command: string, more: object = {}) => ({ hooks: [{ type: "command", command, ...more }] });

export const markCall = (text: string) => ({ text: "Marking.", calls: [{ tool: "Mark", input: { text } }] });

/** A session in memory with the user's own hooks, and a tool that leaves a mark when it really runs. */
export async function hookedSession(options: HookedOptions): Promise<HookedSession> {
  const { hooks, permissions = {} } = options;
  const tree = tempTree({ "home/.troupe/settings.json": { hooks, permissions }, ...options.files });
  tree.folder("project");
  const marks: string[] = [];
  const model = createScriptedModel({ version: 1, steps: options.steps ?? [] }, { clock: systemClock });
  const session = await createSession({
    cwd: tree.path("project"),
    env: { HOME: tree.path("home"), PATH: process.env["PATH"], TROUPE_SANDBOX: "off" },
    model,
    memory: true,
    tools: [markTool(marks)],
    permissionMode: options.mode ?? "bypassPermissions",
    onPermission: "nobody",
    ...options.more,
  });
  const events: Event[] = [];
  const following = (async () => {
    for await (const { event } of session.events()) events.push(event);
  })();
  const close = async () => {
    await session.close();
    await following;
  };
  onTestFinished(close);
  return {
    tree,
    session,
    model,
    marks,
    all: <T extends Event["type"]>(type: T) => events.filter((event): event is Of<T> => event.type === type),
    close,
    async run(prompt = "go") {
      const reply = await session.ask(prompt);
      await close();
      return reply;
    },
  };
}

const markTool = (marks: string[]): Tool =>
  defineTool({
    name: "Mark",
    description: "Leaves a mark.",
    input: z.strictObject({ text: z.string().max(50) }),
    access: "write",
    subject: () => ({ kind: "none" }),
    title: ({ text }) => `Mark ${text}`,
    async execute({ text }) {
      marks.push(text);
      return textResult(`marked ${text}`);
    },
  });
