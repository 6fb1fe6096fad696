import * as z from "zod";
import { agentLaunched, agentResult } from "../../agent/index.ts";
import { type CallId, PermissionMode, TroupeError } from "../../protocol/index.ts";
import {
  defineTool,
  failedResult,
  textResult,
  type Tool,
  type ToolContext,
  type ToolResult,
} from "../../tool/index.ts";
import type { SubagentRegistry, ParentAgent, StartedSubagent } from "../subagents/subagent-registry.ts";
import { moveToBackground, type BackgroundRun } from "../subagents/move-to-background.ts";
import { type SpawnOptions, workerType } from "../subagents/resolve-spawn.ts";
import { toFailedResult } from "./to-failed-result.ts";

export interface AgentToolOptions {
  readonly subagents: SubagentRegistry;
  /** Who calls, as it is now. */
  readonly parent: () => ParentAgent;
  /** After this long in the foreground an agent goes on in the background by itself. */
  readonly backgroundAfterMs: number;
  /** Resolves when the user sends the foreground agents of this caller to the background. */
  readonly sentToBackground: (signal: AbortSignal) => Promise<void>;
  readonly forks: boolean;
  /** The caller is a coordinator: agents are workers where no type is said, and always in the background. */
  readonly coordinator?: boolean | undefined;
  /** Undefined: the caller has no teams to start teammates in. */
  readonly teammates?: TeammateStarter | undefined;
}

/** Starts members of the caller's teams. */
export interface TeammateStarter {
  /** The team that a call means; undefined where it means none, so that an agent with a name is a sub-agent. */
  teamOf(name: string | undefined): string | undefined;
  /** Rejects with a TroupeError whose message is for the model. */
  start(parent: ParentAgent, request: TeammateSpawnRequest): Promise<ToolResult>;
}

export interface TeammateSpawnRequest extends SpawnOptions {
  readonly team: string;
  readonly name: string;
  readonly description: string;
  readonly prompt: string;
  readonly planModeRequired: boolean;
  readonly callId: CallId;
  readonly signal: AbortSignal;
}

const forkCannotStartMessage = "You are a fork, and a fork starts no agents: do the work yourself.";

const teamDescription =
  " In a team, a name makes it a teammate: it stays, works beside you, talks to the others by name and takes tasks of the shared list; this call returns as soon as it has begun.";

/** Built-in agents whose answer is all there is to them. */
const oneShot = new Set(["Explore", "Plan"]);

const agentInput = ({ remote }: Pick<SubagentRegistry, "remote">) =>
  z.strictObject({
    description: z.string().min(1).max(200).describe("What it is for, in three to five words"),
    prompt: z.string().min(1).describe("The task, complete in itself"),
    subagent_type: z.string().optional().describe("One of the types listed above"),
    model: z
      .string()
      .optional()
      .describe("A model or a family (opus, sonnet, haiku); without it the type's own, or yours"),
    run_in_background: z.boolean().optional().describe("Go on at once; you are told when it has ended"),
    name: z
      .string()
      .regex(/^[A-Za-z][\w-]{0,39}$/, "must be letters, digits, - and _, and begin with a letter")
      .optional()
      .describe("Makes it addressable by SendMessage"),
    mode: PermissionMode.exclude(["bubble"]).optional().describe("A stricter permission mode for it"),
    isolation: remote
      ? z
          .enum(["worktree", "remote"])
          .optional()
          .describe(
            "worktree: a git worktree and branch of its own; remote: on another machine, its commits come back as a branch",
          )
      : z
          .enum(["worktree"], {
            error:
              "must be worktree, or left out: remote needs a bus to other machines, on which teams are kept as well, and the user gives one with --bus nats://host:4222",
          })
          .optional()
          .describe("worktree: a git worktree and branch of its own"),
    cwd: z.string().optional().describe("An absolute folder to work in; not together with isolation"),
  });
type AgentInput = z.infer<ReturnType<typeof agentInput>> & {
  readonly team_name?: string | undefined;
  readonly plan_mode_required?: boolean | undefined;
};

const teammateInput = (subagents: SubagentRegistry) =>
  agentInput(subagents).extend({
    team_name: z.string().max(64).optional().describe("The team to start a teammate in; without it your only one"),
    plan_mode_required: z.boolean().optional().describe("A teammate that may only read until its plan is approved"),
  });

/** Not state: a memory of something that is always the same. Every agent has a tool of its own, and the schema is the larger part of it. */
const inputs = new WeakMap<SubagentRegistry, z.ZodType<AgentInput>>();

function inputFor({ subagents, teammates }: AgentToolOptions): z.ZodType<AgentInput> {
  if (teammates) return teammateInput(subagents);
  const input = inputs.get(subagents) ?? agentInput(subagents);
  inputs.set(subagents, input);
  return input;
}

const coordinatorDescription =
  "Starts a worker that carries out one task on its own, always in the background: this call returns at once, and what came of it arrives as a <task-notification>. Several in one answer work at the same time. It has not seen this conversation: say in the prompt what to do, what you already know, and what to report. Without subagent_type it is a worker; the other types are for special work.";

/** Starts another agent for one task. */
export function createAgentTool(options: AgentToolOptions): Tool {
  const unnamed = options.coordinator ? workerType : "general-purpose";
  const contextDescription = options.forks
    ? "Without subagent_type it is a fork of you: it knows this whole conversation, and costs little because the prompt cache is shared; say only what it is to do. With a subagent_type it has not seen this conversation: say in the prompt what to do, what you already know, and what to report."
    : "It has not seen this conversation: say in the prompt what to do, what you already know, and what to report. Without subagent_type it is general-purpose.";
  return defineTool<AgentInput>({
    name: "Agent",
    description: `${options.coordinator ? coordinatorDescription : `Starts an agent that carries out one task on its own and gives back its last message. Several in one answer work at the same time. ${contextDescription} Use it for work that takes many steps or would fill your context; do a look-up of one or two calls yourself.`} With isolation: worktree it cannot get in the way of others, and its commits come back as a branch.${options.teammates ? teamDescription : ""}

Types:
${options.subagents.listing}`,
    input: inputFor(options),
    access: "read",
    subject: (input) => ({ kind: "name", name: input.subagent_type ?? unnamed }),
    title: (input) =>
      `Agent ${input.subagent_type ?? (options.forks && !options.coordinator ? "fork" : unnamed)}: ${input.description}`,
    resultLimit: 60_000,
    onlyWaits: true,
    async execute(input, context) {
      const reclaimSlot = await options.subagents.lendSlotOf(options.parent().id);
      try {
        return await execute(input, context, options);
      } finally {
        await reclaimSlot(context.signal);
      }
    },
  });
}

async function execute(input: AgentInput, context: ToolContext, options: AgentToolOptions): Promise<ToolResult> {
  const parent = options.parent();
  // A fork has its parent's exact tools, this one among them, since the tool list must not change: it is told apart by who calls.
  if (context.agent.id !== parent.id) return failedResult(forkCannotStartMessage);
  const team = input.name === undefined ? undefined : options.teammates?.teamOf(input.team_name);
  if (team !== undefined) return spawnTeammate(input, { team, context, options });
  let started: StartedSubagent;
  try {
    started = await options.subagents.start(parent, {
      ...input,
      callId: context.callId,
      type: input.subagent_type,
      background: input.run_in_background,
      signal: context.signal,
      onQueued: (ahead) => context.progress(`waiting for a place, ${ahead} before it\n`),
    });
  } catch (error) {
    if (TroupeError.is(error)) return failedResult(error.message);
    throw error;
  }
  const { subagent: child, slot: place, prompt } = started;
  const notes = started.notices.map((notice) => `Note: ${notice}`);
  const parts = [{ type: "text" as const, text: prompt }];
  const run = child.run(parts, place);
  if (started.background) return launched(await moveToBackground(context, { subagent: child, run, ...input }), notes);

  const stopShowing = child.onText((text) => context.progress(text));
  const stop = () => void child.interrupt("the one that started it was interrupted");
  context.signal.addEventListener("abort", stop, { once: true });
  if (context.signal.aborted) stop();
  const over = new AbortController();
  const movesToBackground = Promise.race([
    after(options.backgroundAfterMs, over.signal),
    options.sentToBackground(over.signal),
  ]);
  try {
    const first = await Promise.race([
      run.done.then((report) => ({ report })),
      movesToBackground.then(() => "hand over" as const),
    ]);
    if (first === "hand over" && !context.signal.aborted) {
      const note = "The agent takes long and goes on in the background, where it was; nothing is run again.";
      return launched({ ...(await moveToBackground(context, { subagent: child, run, ...input })), note }, notes);
    }
    const report = first === "hand over" ? await run.done : first.report;
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

async function spawnTeammate(
  input: AgentInput,
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
      callId: context.callId,
      signal: context.signal,
    });
  });
}

const launched = (backgroundRun: BackgroundRun, notes: readonly string[]) =>
  textResult([...notes, agentLaunched(backgroundRun)].join("\n"));

function after(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => resolve(clearTimeout(timer)), { once: true });
  });
}
