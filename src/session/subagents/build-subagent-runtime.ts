import { type AgentTools, selectAgentTools } from "../../agent/definitions/index.ts";
import { createAskSideQuestion, isDiskFull, type OngoingAgent, troupeNotice } from "../../agent/index.ts";
import type { AgentDefinition, AgentId, AgentPath, Message } from "../../protocol/index.ts";
import type { EventLog } from "../../store/index.ts";
import type { SubagentRuntime } from "../../team/index.ts";
import { sandboxState, type Tool } from "../../tool/index.ts";
import { type AgentRuntime, createAgentRuntime, type SessionResources } from "../agent-runtime/agent-runtime.ts";
import { subagentStanding } from "../agent-runtime/agent-standing.ts";
import { memoizeByList } from "../agent-runtime/memoize-by-list.ts";
import type { AgentExtras, LoadedExtras } from "../agent-types/agent-extras.ts";
import { lastMode } from "../permissions/plan-mode.ts";
import type { LostAgents } from "./lost-agents.ts";
import type { LocalRequest } from "./runtime-factory.ts";
import type { RuntimeTable } from "./runtime-table.ts";

export interface BuildPorts extends Pick<LostAgents, "reportLostWork"> {
  readonly table: RuntimeTable;
  toolsOf(runtime: () => AgentRuntime, path: AgentPath): readonly Tool[];
  subagentsOf(parent: AgentId): readonly OngoingAgent[];
}

/** The loaded parts of one subagent. */
export interface BuildInputs {
  readonly roots: readonly string[];
  /** Undefined for a fork, which has what its parent has. */
  readonly extras: AgentExtras | undefined;
  /** Reads the messages of a fork's parent. */
  readonly inherit: (from: AgentId, turn: number) => readonly Message[];
}

/** A subagent with the tools and the definition that it has now. */
interface Built extends BuildInputs {
  readonly request: LocalRequest;
  readonly definition: AgentDefinition;
  readonly log: EventLog;
  readonly runtime: AgentRuntime;
  readonly tools: () => readonly Tool[];
  readonly loaded: LoadedExtras | undefined;
}

/** Builds the runtime of a subagent and adds it to the table. */
export async function buildSubagentRuntime(
  request: LocalRequest,
  shared: SessionResources,
  inputs: BuildInputs & BuildPorts,
): Promise<SubagentRuntime> {
  const { extras, table } = inputs;
  const { fork } = request;
  const definition = extras?.definition ?? request.definition;
  const log = await shared.session.log.opened.agentLog(request.agentId);
  const select = toolSelection(request, shared, { ...inputs, definition, runtime: () => runtime });
  const tools = fork ? table.entryOf(request.parent).tools : () => select().tools;
  const runtime = await createRuntime(request, shared, { ...inputs, definition, log, tools });
  const loaded = await extras?.load(runtime.policy, tools);
  table.add(request.agentId, { runtime, tools });
  const built: Built = { ...inputs, request, definition, log, runtime, tools, loaded };
  const attach = () =>
    extras?.attach({ record: runtime.agent.record, ask: shared.ask, createId: shared.session.ports.createId });
  return {
    agent: runtime.agent,
    conversation: runtime.conversation,
    replayed: log.replayed,
    notices: loaded ? [...definitionProblems(definition, select()), ...loaded.notices] : [],
    async begin(spawned, inherited) {
      try {
        await runtime.agent.record({ type: "agent.spawned", ...spawned });
        if (inherited) await runtime.agent.record({ type: "context.inherited", ...inherited });
        attach();
        await composePrompt(built, shared, inputs);
      } catch (error) {
        await extras?.stop();
        throw error;
      }
    },
    async resume() {
      attach();
      await tellRecreatedWorktree(runtime, request);
      await runtime.agent.closeOpenCalls();
      await runtime.background.recover(log.replayed, inputs.reportLostWork);
    },
    async stopLeftovers() {
      await runtime.background.stopRunning();
      await extras?.stop();
    },
    askSideQuestion: sideQuestionOf(built, shared),
    settled: async () => runtime.hooks?.settled(),
    async close() {
      await runtime.agent.close();
      await runtime.background.stopAll();
      await extras?.stop();
      await ignoreDiskFull(runtime.hooks?.stop());
      await runtime.sandbox?.close();
      table.evict(request.agentId);
      await log.close();
    },
  };
}

/** The tools of the definition, from those of the session and those that start more agents. */
function toolSelection(
  { path, kind, mode }: LocalRequest,
  { session: { extensions, role } }: SessionResources,
  {
    definition,
    extras,
    runtime,
    toolsOf,
  }: BuildInputs & BuildPorts & { readonly definition: AgentDefinition; readonly runtime: () => AgentRuntime },
): () => AgentTools {
  const own = toolsOf(runtime, path);
  const userDefined = definition.source.level !== "built-in";
  const workerPool = (pool: readonly Tool[]) => role.coordinator?.workerPool(pool) ?? pool;
  return memoizeByList(
    () => workerPool([...(extras?.pool(extensions.tools()) ?? extensions.tools()), ...own]),
    (pool) => selectAgentTools({ definition, pool, kind, mode, userDefined }),
  );
}

async function createRuntime(
  request: LocalRequest,
  shared: SessionResources,
  from: BuildInputs & BuildPorts & Pick<Built, "definition" | "log" | "tools">,
): Promise<AgentRuntime> {
  const { config, extensions, models } = shared.session;
  const { fork, delegated } = request;
  const { definition, extras, log, table } = from;
  const parentMode = () => table.modeOf(request.parent);
  return createAgentRuntime(
    {
      ...shared,
      publish: (envelope) => {
        request.onEnvelope(envelope);
        shared.publish(envelope);
      },
    },
    {
      path: request.path,
      standing: subagentStanding(request.path),
      type: fork ? "fork" : definition.name,
      log,
      model: await models.get(request.model),
      tools: from.tools,
      cwd: request.cwd,
      permissionMode: (delegated ? undefined : lastMode(log.replayed)) ?? request.mode,
      roots: from.roots,
      memory: extras?.memory,
      ready: extras?.ready,
      ceiling: delegated ? undefined : parentMode,
      bubblesTo: fork && !delegated ? parentMode : undefined,
      rules: extensions.rules,
      env: { ...config.childEnv, ...request.env },
      maxTurns: fork ? config.maxTurns : (definition.maxTurns ?? config.maxTurns),
      inherit: from.inherit,
      openHooks: fork ? undefined : (await extensions.hooksOf(definition))?.create,
      subagents: () => from.subagentsOf(request.agentId),
    },
  );
}

/** Writes the system prompt of a new subagent. A fork has that of its parent. */
async function composePrompt(
  { request, definition, runtime, tools, loaded }: Built,
  { session }: SessionResources,
  { table }: BuildPorts,
): Promise<void> {
  const system = loaded
    ? await session.extensions.prompts.of(definition, {
        ...placeOf(request),
        tools: tools().map(({ name }) => name),
        sandbox: await sandboxState(runtime.sandbox),
        extras: loaded,
      })
    : table.entryOf(request.parent).runtime.conversation.system;
  await runtime.agent.record({ type: "context.composed", system: [...system] });
  const hookContext = (await runtime.hooks?.spawned()) ?? [];
  if (hookContext.length > 0) await runtime.agent.admit("hook", hookContext);
}

function sideQuestionOf(
  { request, definition, runtime }: Built,
  { session: { models, budget } }: SessionResources,
): SubagentRuntime["askSideQuestion"] {
  const client = models.smallOf(request.model);
  if (!client) return undefined;
  return createAskSideQuestion({
    client,
    agent: { path: request.path, type: request.fork ? "fork" : definition.name },
    turn: () => runtime.conversation.turn,
    record: (event) => runtime.agent.record(event),
    ledger: budget.ledger,
    costOf: models.costOf,
  });
}

async function tellRecreatedWorktree({ agent }: AgentRuntime, { worktree }: LocalRequest): Promise<void> {
  if (worktree?.recreated === undefined) return;
  await agent.admit("hook", [{ type: "text", text: troupeNotice(worktree.recreated) }]);
}

const definitionProblems = ({ name }: AgentDefinition, { reports }: AgentTools) =>
  reports.map(({ field, entry, message }) => `${name}: ${field}: ${entry}: ${message}`);

const placeOf = ({ cwd, mode, worktree, delegated }: LocalRequest) => ({
  cwd,
  mode,
  worktree,
  sharedWith: worktree || delegated ? undefined : "the agent that started you",
});

/** Ignores a full disk: the agent closes without its last hook records. */
async function ignoreDiskFull(write: Promise<void> | undefined): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!isDiskFull(error)) throw error;
  }
}
