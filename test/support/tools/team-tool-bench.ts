import { onTestFinished } from "vitest";
import { currentProcess, createIdFactory, systemClock } from "../../../src/platform/index.ts";
import type { LeftWorktree, RefusedCommand, TaskMail } from "../../../src/agent/index.ts";
import { createFileTeamStore, type StoredTeam } from "../../../src/store/index.ts";
import { acceptTask, createTaskTools, type TaskEvent, type TaskHooks } from "../../../src/team/index.ts";
import { executeTool, parseModelInput, type Tool } from "../../../src/tool/index.ts";
import { tempTree } from "../files/temp-tree.ts";
import { openToolBench, type ToolBench } from "./tool-bench.ts";

export interface TeamBench {
  readonly stored: StoredTeam;
  readonly tools: ToolBench;
  readonly events: (TaskEvent & { by: string })[];
  /** The mail that the tools sent. */
  readonly mails: (TaskMail & { from: string })[];
  /** Calls one of the task tools as the runtime does. */
  call(who: string, name: string, input?: unknown, signal?: AbortSignal): Promise<Said>;
  /** The same files, opened by another process. */
  elsewhere(): Promise<StoredTeam>;
}

export interface Said {
  readonly ok: boolean;
  readonly text: string;
}

export interface TeamBenchOptions {
  readonly members?: readonly string[];
  readonly hooks?: TaskHooks;
  /** The tools of each member; Bash and Read by default. */
  readonly toolsOf?: Readonly<Record<string, readonly string[]>>;
  readonly refuse?: (command: string) => Promise<RefusedCommand | undefined>;
  readonly unlandedWork?: (member: string) => Promise<LeftWorktree | undefined>;
  /** Without a team: the list belongs to the session. */
  readonly alone?: boolean;
}

/** A real team in real files, and the task tools of its members. */
export async function teamBench(options: TeamBenchOptions = {}): Promise<TeamBench> {
  const home = tempTree().path("home");
  const createId = createIdFactory(systemClock);
  const store = createFileTeamStore({ home, clock: systemClock, createId });
  const tools = openToolBench();
  onTestFinished(() => tools.close());
  const stored = await store.create({ name: "parser", cwd: tools.folder });
  onTestFinished(() => stored.close());
  for (const name of options.members ?? ["alice", "bob"]) {
    await stored.record.join({ name, cwd: tools.folder, backendType: "in-process" });
  }
  const events: TeamBench["events"] = [];
  const mails: TeamBench["mails"] = [];
  const made = new Map<string, readonly Tool[]>();
  const toolsOf = (who: string) => {
    const has = options.toolsOf?.[who] ?? ["Bash", "Read"];
    const known =
      made.get(who) ??
      createTaskTools({
        list: async () => stored.tasks,
        memberName: () => who,
        team: () => (options.alone ? undefined : stored.name),
        members: () => (options.alone ? [] : stored.record.current().members),
        record: async (event) => void events.push({ ...event, by: who }),
        notify: async (mail) => void mails.push({ ...mail, from: who }),
        refuseCheck: options.refuse,
        hooks: options.hooks,
        accept: (task, signal) =>
          acceptTask(task, {
            cwd: tools.folder,
            env: tools.context.env,
            processes: tools.context.processes,
            clock: systemClock,
            timeoutMs: 20_000,
            signal,
            refuse: async (command) => (await options.refuse?.(command))?.why,
          }),
        unlandedWork: options.unlandedWork,
        capable: (needs) => needs.filter((need) => !has.includes(need)),
        holder: currentProcess(),
        claims: new Map(),
      });
    made.set(who, known);
    return known;
  };
  return {
    stored,
    tools,
    events,
    mails,
    call: (who, name, input = {}, signal = tools.context.signal) =>
      callTool(named(toolsOf(who), name), input, { ...tools.context, signal }),
    async elsewhere() {
      const other = await createFileTeamStore({ home, clock: systemClock, createId }).open(stored.name);
      onTestFinished(() => other.close());
      return other;
    },
  };
}

/** Handles a call as an agent does: parse, then execute. */
export async function callTool(tool: Tool, input: unknown, context: ToolBench["context"]): Promise<Said> {
  const parsed = parseModelInput(tool, input);
  if (!parsed.ok) return { ok: false, text: parsed.message };
  const { outcome, content } = await executeTool(tool, parsed.value, context);
  return { ok: outcome === "ok", text: content.map((part) => (part.type === "text" ? part.text : "")).join("\n") };
}

export function named(tools: readonly Tool[], name: string): Tool {
  const tool = tools.find((each) => each.name === name);
  if (!tool) throw new Error(`no tool ${name}`);
  return tool;
}
