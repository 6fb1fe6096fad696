import * as z from "zod";
import { agentLaunched, agentResult, type LaunchedAgent } from "../../agent/index.ts";
import { type Clock, sleepUnlessAborted } from "../../platform/index.ts";
import {
  type CallId,
  type Member,
  oneLine,
  PermissionMode,
  TroupeError,
  type WorkItemId,
} from "../../protocol/index.ts";
import {
  anyTool,
  defineTool,
  failedResult,
  schemaOf,
  textResult,
  type ToolNames,
  type Tool,
  type ToolContext,
  type ToolResult,
} from "../../tool/index.ts";
import type { SubagentRegistry, ParentAgent, StartedSubagent } from "../subagents/subagent-registry.ts";
import { moveToBackground } from "../subagents/move-to-background.ts";
import { type SpawnOptions, workerType } from "../subagents/resolve-spawn.ts";
import { agentNamePattern } from "./agent-name.ts";
import { taskNumber } from "./task-inputs.ts";
import { toFailedResult } from "./to-failed-result.ts";

export interface AgentToolOptions {
  readonly subagents: SubagentRegistry;
  /** Returns the calling agent in its current state. */
  readonly parent: () => ParentAgent;
  /** After this time in the foreground, an agent moves to the background. */
  readonly backgroundAfterMs: number;
  readonly clock: Pick<Clock, "sleep">;
  /** Resolves when the user moves the caller's foreground agents to the background. */
  readonly sentToBackground: (signal: AbortSignal) => Promise<void>;
  readonly forks: boolean;
  /** True for a coordinator: its agents are workers unless it names a type, and always run in the background. */
  readonly coordinator?: boolean | undefined;
  /** Undefined if the caller has no teams to start teammates in. */
  readonly teammates?: TeammateStarter | undefined;
  /** True if the caller speaks with a user: types that help the user with Troupe itself are listed. */
  readonly hasUser?: boolean | undefined;
  /** The permission mode of the session. A wider mode than this is not offered. */
  readonly mode?: PermissionMode | undefined;
}

/** Starts teammates in the caller's teams. */
export interface TeammateStarter {
  /** The team that a call means. Undefined if it means none: an agent with a name is then a subagent. */
  teamOf(name: string | undefined): string | undefined;
  /** Rejects with a `TroupeError` whose message is for the model. */
  start(parent: ParentAgent, request: TeammateSpawnRequest): Promise<ToolResult>;
  /** The members that this agent leads, including ended ones. Absent for a teammate, which leads none. */
  members?(): readonly Member[];
}

export interface TeammateSpawnRequest extends SpawnOptions {
  readonly team: string;
  readonly name: string;
  readonly description: string;
  readonly prompt: string;
  readonly planModeRequired: boolean;
  /** The task that it gets with its start. */
  readonly task?: WorkItemId | undefined;
  readonly callId: CallId;
  readonly signal: AbortSignal;
}

const forkCannotStartMessage = "You are a fork, and a fork cannot start agents. Do the work yourself.";

const noTeammateForTask =
  "No agent was started: only a teammate can get a task of the list. Add a name, or leave task out and describe the work in the prompt.";

const teamDescription =
  " In a team, a name makes it a teammate, which stays and works next to you: this call then returns as soon as it has started.";

/** Built-in agents that are not continued after their answer. */
const oneShot = new Set(["Explore", "Plan"]);

const agentName = () =>
  z.string().regex(agentNamePattern, "must be letters, digits, - and _, and begin with a letter").optional();

const agentInput = (remote: boolean) =>
  z.strictObject({
    description: z.string().max(200).optional().describe("What it is for, in three to five words"),
    prompt: z.string().min(1).describe("The task, complete in itself"),
    subagent_type: z.string().optional().describe("One of the types listed above"),
    model: z
      .string()
      .optional()
      .describe("A model or a family (opus, sonnet, haiku). Default: the type's model, else yours"),
    run_in_background: z.boolean().optional().describe("Return at once; you are notified when it ends"),
    name: agentName().describe("A name to use with SendMessage"),
    mode: PermissionMode.exclude(["bubble"]).optional().describe("Its permission mode, never wider than yours"),
    isolation: remote
      ? z
          .enum(["worktree", "remote"])
          .optional()
          .describe(
            "worktree: its own git worktree, its commits on its own branch; remote: on another machine, its commits on a branch",
          )
      : z
          .enum(["worktree"], {
            error:
              "must be worktree, or left out: remote needs a bus to other machines, which also stores the teams. The user sets one with --bus nats://host:4222",
          })
          .optional()
          .describe("worktree: its own git worktree, its commits on its own branch"),
    cwd: z.string().optional().describe("Absolute path of the folder to work in; not together with isolation"),
  });
type AgentInput = z.infer<ReturnType<typeof agentInput>> & {
  readonly team_name?: string | undefined;
  readonly plan_mode_required?: boolean | undefined;
  readonly task?: WorkItemId | undefined;
};

const teammateInput = (remote: boolean) =>
  agentInput(remote).extend({
    name: agentName().describe("A name to use with SendMessage; in a team it makes the agent a teammate"),
    team_name: z.string().max(64).optional().describe("The team to start a teammate in. Default: your only team"),
    task: taskNumber().optional().describe("The number of a task of the list that the teammate begins with"),
    plan_mode_required: z.boolean().optional().describe("The teammate may only read until its plan is approved"),
  });

/** A cache, not state. Every agent has its own tool, and the schema is the largest part of it. */
const inputs = new Map<string, z.ZodType<AgentInput>>();

function inputFor({ subagents: { remote }, teammates }: AgentToolOptions): z.ZodType<AgentInput> {
  const make = teammates ? teammateInput : agentInput;
  const key = `${make.name} ${remote}`;
  const input = inputs.get(key) ?? make(remote);
  inputs.set(key, input);
  return input;
}

const coordinatorDescription =
  "Starts a worker that carries out one task, always in the background: this call returns at once, and the result arrives as a <task-notification>. Several workers started in one turn run at the same time. A worker has not seen this conversation: say in the prompt what to do, what you already know, and what to report. Without subagent_type it is a worker; the other types are for special work.";

function describe(options: AgentToolOptions, tools: ToolNames): string {
  const context = options.forks
    ? "Without subagent_type it is a fork of you: it knows this whole conversation, and it costs little because it shares the prompt cache. Say only what to do. With a subagent_type it has not seen this conversation: say in the prompt what to do, what you already know, and what to report."
    : "It has not seen this conversation: say in the prompt what to do, what you already know, and what to report. Without subagent_type it is general-purpose.";
  const start = options.coordinator
    ? coordinatorDescription
    : `Starts an agent that carries out one task and returns its last message. Several agents started in one turn run at the same time. ${context} Use it for work that takes many steps or would fill your context. Do a lookup of one or two calls yourself.`;
  const landed = tools.has("Land") ? ", which Land brings to yours" : "";
  return `${start} Agents share your folder. With isolation: worktree it cannot get in the way of others: its commits are on its own branch${landed}.${options.teammates ? teamDescription : ""}

Types:
${options.subagents.listing({ withHelpers: options.hasUser })}`;
}

/** The fields that are worth offering: no mode wider than the caller's, and nothing that has no effect. */
function offeredSchema(options: AgentToolOptions, tools: ToolNames): Readonly<Record<string, unknown>> {
  const { properties, ...schema } = schemaOf(inputFor(options)) as { properties: Record<string, { enum?: string[] }> };
  const { run_in_background: background, mode, name, ...fields } = properties;
  const isWide = options.mode === "bypassPermissions";
  const modes = mode && { ...mode, enum: mode.enum?.filter((each) => isWide || each !== "bypassPermissions") };
  return {
    ...schema,
    properties: {
      ...fields,
      name: tools.has("SendMessage") ? name : { ...name, description: "A name for it, shown in its report" },
      ...(modes && { mode: modes }),
      ...(!options.coordinator && { run_in_background: background }),
    },
  };
}

/** Creates the tool that starts another agent for one task. */
export function createAgentTool(options: AgentToolOptions): Tool {
  const unnamed = options.coordinator ? workerType : "general-purpose";
  return defineTool<AgentInput>({
    name: "Agent",
    description: describe(options, anyTool),
    wordsFor: (tools) => ({ description: describe(options, tools), inputSchema: offeredSchema(options, tools) }),
    input: inputFor(options),
    access: "read",
    subject: (input) => ({ kind: "name", name: input.subagent_type ?? unnamed }),
    title: (input) =>
      `Agent ${input.subagent_type ?? (options.forks && !options.coordinator ? "fork" : unnamed)}: ${descriptionOf(input)}`,
    resultLimit: 60_000,
    onlyWaits: true,
    async execute(input, context) {
      const reclaimSlot = await options.subagents.lendSlotOf(options.parent().id);
      try {
        return await execute({ ...input, description: descriptionOf(input) }, context, options);
      } finally {
        await reclaimSlot(context.signal);
      }
    },
  });
}

/** The first words of the prompt, if the model gave no description. */
const descriptionOf = ({ description, prompt }: AgentInput): string =>
  description?.trim() || firstWords(oneLine(prompt)) || "a task";

const firstWords = (text: string) => text.split(" ").slice(0, 8).join(" ").slice(0, 80);

type DescribedInput = AgentInput & { readonly description: string };

async function execute(input: DescribedInput, context: ToolContext, options: AgentToolOptions): Promise<ToolResult> {
  const parent = options.parent();
  // A fork has exactly its parent's tools, including this one, because the tool list must not change. The caller's id
  // shows the difference.
  if (context.agent.id !== parent.id) return failedResult(forkCannotStartMessage);
  const wrong = teamProblem(input, options.teammates);
  if (wrong !== undefined) return failedResult(wrong);
  const team = input.name === undefined ? undefined : options.teammates?.teamOf(input.team_name);
  if (team !== undefined) return spawnTeammate(input, { team, context, options });
  if (input.task !== undefined) return failedResult(noTeammateForTask);
  let started: StartedSubagent;
  try {
    started = await options.subagents.start(parent, {
      ...input,
      callId: context.callId,
      type: input.subagent_type,
      background: input.run_in_background,
      signal: context.signal,
      onQueued: (ahead) => context.progress(`waiting for a slot, ${ahead} ahead\n`),
    });
  } catch (error) {
    if (TroupeError.is(error)) return failedResult(error.message);
    throw error;
  }
  const { subagent: child, slot: place, prompt } = started;
  const notes = started.notices.map((notice) => `Note: ${notice}`);
  const parts = [{ type: "text" as const, text: prompt }];
  const run = child.run(parts, place);
  if (started.background)
    return launched(await moveToBackground(context, { subagent: child, run, ...input }), notes, context);

  const stopShowing = child.onText((text) => context.progress(text));
  const stop = () => void child.interrupt("the agent that started it was interrupted");
  context.signal.addEventListener("abort", stop, { once: true });
  if (context.signal.aborted) stop();
  const over = new AbortController();
  const movesToBackground = Promise.race([
    sleepUnlessAborted(options.clock, options.backgroundAfterMs, over.signal),
    options.sentToBackground(over.signal),
  ]);
  try {
    const first = await Promise.race([
      run.done.then((report) => ({ report })),
      movesToBackground.then(() => "background" as const),
    ]);
    if (first === "background" && !context.signal.aborted) {
      const note = "The agent now continues in the background. Nothing is run again.";
      const moved = await moveToBackground(context, { subagent: child, run, ...input });
      return launched({ ...moved, note }, notes, context);
    }
    const report = first === "background" ? await run.done : first.report;
    const text = agentResult(report, { brief: oneShot.has(child.definition.name) && !report.worktree });
    return report.status === "completed"
      ? textResult([...notes, text].join("\n"))
      : failedResult([...notes, text].join("\n"));
  } finally {
    over.abort();
    stopShowing();
    context.signal.removeEventListener("abort", stop);
  }
}

/** Returns why the call names a team in vain. Without this it would start a subagent instead. */
function teamProblem(
  { name, team_name: team, plan_mode_required: plans }: AgentInput,
  teammates: TeammateStarter | undefined,
) {
  if (!teammates) return undefined;
  const own = teammates.teamOf(undefined);
  if (plans === true && (name === undefined || teammates.teamOf(team) === undefined))
    return `Only a teammate can be made to plan first. ${name === undefined ? "Add a name" : "Create a team with TeamCreate first"}, or leave plan_mode_required out. Nothing was started.`;
  if (team === undefined) return undefined;
  const have = own === undefined ? "You have no team." : `Your team is ${own}.`;
  if (teammates.teamOf(team) === undefined)
    return `There is no team ${JSON.stringify(team)}. ${have} Nothing was started.`;
  return name === undefined ? `A teammate of ${team} needs a name. Nothing was started.` : undefined;
}

async function spawnTeammate(
  input: DescribedInput,
  { team, context, options }: { team: string; context: ToolContext; options: AgentToolOptions },
): Promise<ToolResult> {
  const { name = "", description, prompt, model, mode, isolation, cwd } = input;
  return toFailedResult(async () => {
    if (!options.teammates) throw new TroupeError("agent", "There is no team to start a teammate in.");
    return options.teammates.start(options.parent(), {
      team,
      name,
      description,
      prompt,
      type: input.subagent_type,
      model,
      mode,
      isolation,
      cwd,
      planModeRequired: input.plan_mode_required ?? false,
      task: input.task,
      callId: context.callId,
      signal: context.signal,
    });
  });
}

const launched = (backgroundRun: LaunchedAgent, notes: readonly string[], { agent }: ToolContext) =>
  textResult([...notes, agentLaunched(backgroundRun, agent.tools ?? anyTool)].join("\n"));
