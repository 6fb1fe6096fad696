import { join } from "node:path";
import {
  type Agent,
  type Conversation,
  createAgent,
  createConversation,
  createPermissions,
  currentEvents,
  type Inherit,
  type PastEvents,
  type PermissionPorts,
  planModeForSubagent,
  planModeOnForCoordinator,
  type OngoingAgent,
  type OngoingTeam,
} from "../../agent/index.ts";
import { type ProcessScope, safeName } from "../../platform/index.ts";
import {
  type AgentId,
  type AgentPath,
  type Envelope,
  type ModelClient,
  type PermissionMode,
  type StoredEvent,
} from "../../protocol/index.ts";
import type { EventLog } from "../../store/index.ts";
import { type CommandSandbox, createCommandSandbox, type Tool, type ToolContext } from "../../tool/index.ts";
import { commonHookInput } from "../hooks/hook-input.ts";
import type { OpenedHooks } from "../hooks/open-hooks.ts";
import { keepContext } from "./keep-context.ts";
import { askUserQuestions } from "../permissions/user-questions.ts";
import { createPlanMode, type PlanMode } from "../permissions/plan-mode.ts";
import { createPolicy, type Policy, type PolicyOptions } from "../permissions/permission-policy.ts";
import type { AgentStanding } from "./agent-standing.ts";
import { deniedAgent } from "./denied-agent.ts";
import { createBackgroundWork, type BackgroundWork } from "./background-work.ts";
import type { SessionContext } from "../session-context.ts";

/** Resources that all agents of a session share. */
export interface SessionResources {
  readonly session: SessionContext;
  readonly scope: ProcessScope;
  readonly ask: PermissionPorts["ask"];
  /** Publishes all events of all agents, in the order of each log. */
  readonly publish: (envelope: Envelope) => void;
}

/** The permissions of an agent. */
export interface AgentRights extends Omit<PolicyOptions, SessionPolicy> {
  /** The mode after an approved plan, if the agent starts in plan mode. */
  readonly afterPlan?: PermissionMode | undefined;
}

/** The parts of a policy that the session sets for all its agents, or that the runtime itself has. */
type SessionPolicy = "cwd" | "childEnv" | "localSettings" | "currentCwd" | "ownFolders" | "scratchpad" | "sandbox";

/** The connections of an agent to its subagents, its team and its parent. */
export interface AgentConnections {
  /** The agents that this agent has started. */
  readonly subagents?: (() => readonly OngoingAgent[]) | undefined;
  /** More facts that a compaction must keep. */
  readonly ongoingWork?: (() => Promise<readonly OngoingTeam[]>) | undefined;
  /** Runs before each turn, after the session's MCP servers are ready. */
  readonly ready?: ((signal: AbortSignal) => Promise<void>) | undefined;
  /** Reads the messages of the fork's parent. */
  readonly inherit?: Inherit | undefined;
}

/** The options of one agent. */
export interface AgentRuntimeOptions {
  readonly rights: AgentRights;
  readonly connections: AgentConnections;
  readonly path: AgentPath;
  readonly type: string;
  readonly standing: AgentStanding;
  readonly log: EventLog;
  readonly model: ModelClient;
  readonly tools: () => readonly Tool[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly maxTurns?: number | undefined;
  /** Replaces the session's hooks: includes those of the definition. */
  readonly openHooks?: OpenedHooks["create"] | undefined;
}

/** The way back to an earlier moment of an agent. */
interface AgentRewind {
  /** Records that the agent is at an earlier moment again. It must not be running. */
  recordRewind(event: Omit<Extract<StoredEvent, { type: "agent.rewound" }>, "type">): Promise<void>;
}

/** An agent with its folder, policy, hooks and background jobs. */
export interface AgentRuntime extends AgentRewind {
  readonly id: AgentId;
  readonly agent: Agent;
  readonly conversation: Conversation;
  readonly policy: Policy;
  readonly plan: PlanMode;
  readonly background: BackgroundWork;
  readonly sandbox: CommandSandbox | undefined;
  readonly hooks: ReturnType<OpenedHooks["create"]> | undefined;
  cwd(): string;
  mode(): PermissionMode;
  model(): ModelClient;
  setModel(ref: string): Promise<void>;
  /** Uses another model until the next prompt. */
  setTemporaryModel(ref: string | undefined): Promise<void>;
  setMode(mode: PermissionMode): Promise<void>;
  /** Returns a file path for output that is too large for a result. */
  outputFile(name: string): Promise<string>;
}

/**
 * A coordinator presents its plan as its answer. So does an agent without a user to approve it, unless it started in
 * plan mode.
 */
function planModeTextOf({ role, ports }: SessionContext, { standing, rights }: AgentRuntimeOptions) {
  if (role.coordinator && standing.isLead) return planModeOnForCoordinator;
  return ports.asker === "nobody" && rights.permissionMode !== "plan" ? planModeForSubagent : undefined;
}

/** Builds an agent: folds its log and connects its loop to the session's tools, rules, hooks and processes. */
export function createAgentRuntime(shared: SessionResources, spec: AgentRuntimeOptions): AgentRuntime {
  const { session } = shared;
  const { config, extensions, models } = session;
  const { opened } = session.log;
  const { clock, createId } = session.ports;
  const { log, path, cwd, rights, connections } = spec;
  const past = createPastEvents(session.log, log);
  const conversation = createConversation(connections.inherit, past.of);
  const plan = createPlanMode(rights.permissionMode, rights.afterPlan, planModeTextOf(session, spec));
  for (const { event } of log.replayed) {
    conversation.apply(event);
    plan.apply(event, past.of);
  }
  extensions.knowledge.recall(log.agent, log.replayed);
  const known = () => extensions.knowledge.of(log.agent);
  const model = createModelChoice(spec.model, models);
  let mode = rights.permissionMode;

  const { policy, sandbox } = createAgentPolicy(shared, spec);
  const skills = extensions.slash.source(async (rules, source) => {
    for (const problem of policy.grant(rules)) {
      const message = `${source}: an entry of allowed-tools is ignored: ${problem}`;
      await agent.record({ type: "notice.raised", level: "warning", code: "skill", message });
    }
  });
  const hooks = openAgentHooks(shared, spec, {
    policy,
    mode: () => mode,
    model: () => model.own().ref,
    record: (event) => agent.record(event),
  });
  const onlyLastAnswer = session.ports.asker === "nobody" || !spec.standing.isLead;
  const jobs = { opened, secrets: models.secrets, clock, createId, agent: () => agent, onlyLastAnswer };
  const background = createBackgroundWork(jobs);
  const outputFile = async (name: string) => join(await opened.scratchFolder(), name);

  const setMode = async (permissionMode: PermissionMode) => {
    await agent.record({ type: "agent.changed", permissionMode });
    policy.setMode(permissionMode);
    mode = permissionMode;
  };

  const agent: Agent = createAgent({
    clock,
    createId,
    costOf: models.costOf,
    secrets: models.secrets,
    thinking: models.thinking.current,
    session: opened.sessionId,
    agent: { id: log.agent, path, type: spec.type },
    model: model.current,
    tools: spec.tools,
    maxTurns: spec.maxTurns,
    conversation,
    ledger: session.budget.ledger,
    sink: log,
    seq: log.replayed.at(-1)?.seq ?? 0,
    publish: (envelope) => {
      plan.apply(envelope.event, past.of);
      extensions.knowledge.apply(log.agent, envelope.event, past.of);
      shared.publish(envelope);
    },
    beforeChange: session.ports.checkpoints && (() => session.ports.checkpoints?.beforeChange(log.agent)),
    ready: async (signal) => {
      await extensions.mcp?.ready(signal);
      await connections.ready?.(signal);
    },
    hooks: hooks?.agent,
    compaction: {
      ...config.compaction,
      keep: keepContext({ ...connections, standing: spec.standing, known, background }),
    },
    permissions: createPermissions({
      decide: askUserQuestions(plan.decide(policy.decide)),
      remember: plan.remember(policy.remember),
      ask: shared.ask,
      around: async (tool, input) =>
        tool.around?.(input, { cwd, env: spec.env, files: known().files, judgedPath: policy.judgedPath(input) }),
      hooks: hooks?.agent,
      createId,
      agent: () => deniedAgent(spec, extensions.definitions),
    }),
    saveOutput: (name, data) => opened.saveOutput(name, data),
    contextFor: ({ input, place, ...call }) => ({
      ...call,
      ...toolPlace(shared, spec, { policy, input }),
      walls: { sandbox, place },
      files: known().files,
      background: background.tasks,
      skills,
      plan: planControl(plan, setMode),
      outputFile: (name) => outputFile(`${safeName(call.callId)}-${name}`),
    }),
  });

  return {
    id: log.agent,
    agent,
    conversation,
    policy,
    plan,
    background,
    sandbox,
    hooks,
    cwd: () => cwd,
    mode: () => mode,
    model: model.current,
    setModel: (ref) => model.set(ref, agent),
    setTemporaryModel: model.setTemporary,
    setMode,
    outputFile,
    async recordRewind(event) {
      await past.read();
      await agent.record({ type: "agent.rewound", ...event });
    },
  };
}

/** The earlier events of an agent, for a rewind: those at its start, or all after `read`. */
function createPastEvents(
  stored: SessionContext["log"],
  { agent, replayed }: EventLog,
): { readonly of: PastEvents; read(): Promise<void> } {
  let log = replayed;
  return {
    of: (to) => currentEvents(log, to),
    async read() {
      log =
        agent === stored.opened.leadLog.agent
          ? await stored.readLead()
          : ((await stored.readAgents()).get(agent) ?? []);
    },
  };
}

/** The model of an agent, and the one that replaces it for a while. */
function createModelChoice(first: ModelClient, { make }: SessionContext["models"]) {
  let own = first;
  let temporary: ModelClient | undefined;
  return {
    own: () => own,
    current: () => temporary ?? own,
    async set(ref: string, agent: Agent): Promise<void> {
      const next = await make(ref);
      await agent.record({ type: "agent.changed", model: next.ref });
      own = next;
    },
    async setTemporary(ref: string | undefined): Promise<void> {
      temporary = ref === undefined ? undefined : await make(ref);
    },
  };
}

/** The policy and the sandbox of an agent. Each uses the other. */
function createAgentPolicy({ session }: SessionResources, spec: AgentRuntimeOptions) {
  const { config, extensions, role } = session;
  const { opened } = session.log;
  const { scratchpad } = role;
  const policy = createPolicy({
    ...spec.rights,
    cwd: config.cwd,
    localSettings: config.localSettings,
    scratchpad,
    childEnv: spec.env,
    currentCwd: () => spec.cwd,
    ownFolders: () => [...opened.ownFolders(), ...extensions.slash.readable, ...extensions.readable],
    sandbox: () => sandbox,
  });
  const sandbox = createCommandSandbox({
    settings: config.sandbox,
    userHome: config.userHome,
    stateRoot: config.home,
    roots: [...policy.roots, ...(scratchpad === undefined ? [] : [scratchpad])],
    bases: policy.bases,
    rules: policy.rules,
    trusted: config.trust === "all",
    env: spec.env,
    mainTop: policy.mainTop,
    readable: () => opened.ownFolders(),
    askHost: role.agent.askHost,
    attended: session.ports.attended,
  });
  return { policy, sandbox };
}

interface HookPorts {
  readonly policy: Policy;
  readonly mode: () => PermissionMode;
  readonly model: () => string;
  readonly record: Agent["record"];
}

function openAgentHooks(
  { session, scope }: SessionResources,
  spec: AgentRuntimeOptions,
  { policy, mode, model, record }: HookPorts,
): AgentRuntime["hooks"] {
  const { cwd, standing } = spec;
  const { opened, transcriptPath } = session.log;
  return (spec.openHooks ?? session.extensions.openHooks)?.({
    processes: scope,
    env: spec.env,
    projectFolder: session.config.cwd,
    cwd: () => cwd,
    mode,
    model,
    subagent: standing.isSubagent ? spec.type : undefined,
    facts: () =>
      commonHookInput({
        sessionId: opened.sessionId,
        transcriptPath,
        cwd,
        mode: mode(),
        agent: standing.isLead ? undefined : { id: spec.log.agent, type: spec.type, name: standing.name },
        team: standing.team,
      }),
    mayMatch: async (rule, { tool: wanted, input }) => {
      const tool = spec.tools().find((each) => each.name === wanted);
      return tool === undefined || policy.mayMatch(rule, tool, input);
    },
    record,
    clock: session.ports.clock,
  });
}

/** Where a call runs, and what it may touch. */
const toolPlace = (
  { session: { config, models }, scope }: SessionResources,
  { log, path, cwd, tools, env }: AgentRuntimeOptions,
  { policy, input }: { readonly policy: Policy; readonly input: unknown },
) => ({
  judgedPath: policy.judgedPath(input),
  agent: { id: log.agent, path, tools: new Set(tools().map(({ name }) => name)), isDenied: policy.isDenied },
  cwd,
  roots: policy.roots,
  env,
  commandTimeoutMs: config.bash.timeoutMs,
  secrets: models.secrets,
  processes: scope,
});

const planControl = (plan: PlanMode, setMode: (mode: PermissionMode) => Promise<void>): ToolContext["plan"] => ({
  get isPlanning() {
    return plan.isPlanning;
  },
  leave: async () => {
    const next = plan.next();
    await setMode(next);
    return { mode: next, approvedBy: plan.approvedBy() };
  },
});
