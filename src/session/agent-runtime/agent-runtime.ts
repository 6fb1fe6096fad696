import { join } from "node:path";
import {
  type Agent,
  type Conversation,
  createAgent,
  createConversation,
  createPermissions,
  type Inherit,
  type Ledger,
  type PermissionPorts,
  planModeOnForCoordinator,
  ongoingWork,
  type OngoingTeam,
} from "../../agent/index.ts";
import { type ProcessScope, safeName } from "../../platform/index.ts";
import {
  type AgentId,
  type AgentPath,
  type Envelope,
  leadPath,
  type ModelClient,
  type PermissionMode,
} from "../../protocol/index.ts";
import type { EventLog } from "../../store/index.ts";
import {
  type CommandSandbox,
  createCommandSandbox,
  createFileTracker,
  type RuleSet,
  type Tool,
} from "../../tool/index.ts";
import type { OpenedHooks } from "../hooks/open-hooks.ts";
import { createPlanMode, type PlanMode } from "../permissions/plan-mode.ts";
import { createPolicy, type Policy } from "../permissions/permission-policy.ts";
import { createBackgroundWork, type BackgroundWork } from "./background-work.ts";
import type { SessionDependencies } from "../session-dependencies.ts";

/** What the agents of a session have in common. */
export interface SessionResources {
  readonly parts: SessionDependencies;
  readonly ledger: Ledger;
  readonly scope: ProcessScope;
  readonly ask: PermissionPorts["ask"];
  /** Told everything that happens to anybody, in the order each log has it. */
  readonly publish: (envelope: Envelope) => void;
}

/** What is particular to one agent. */
export interface AgentRuntimeOptions {
  readonly path: AgentPath;
  readonly type: string;
  readonly log: EventLog;
  readonly model: ModelClient;
  readonly tools: () => readonly Tool[];
  readonly cwd: string;
  /** `cwd` holds, wherever its log says that it was. */
  readonly isMoved?: boolean | undefined;
  readonly permissionMode: PermissionMode;
  readonly rules: RuleSet;
  readonly env: Readonly<Record<string, string>>;
  readonly maxTurns?: number | undefined;
  /** The folders it may work in; its own first. Fixed by the session: a model only says where in them to begin. */
  readonly roots: readonly string[];
  /** The mode of the agent that started it, at this moment. */
  readonly ceiling?: (() => PermissionMode) | undefined;
  /** The mode of the agent that this one is a fork of, at this moment. */
  readonly bubblesTo?: (() => PermissionMode) | undefined;
  /** Instead of the session's: with those of its definition. */
  readonly openHooks?: OpenedHooks["create"] | undefined;
  /** Agents it has started that are at rest. */
  readonly idleSubagents?: (() => readonly { readonly name: string; readonly description: string }[]) | undefined;
  /** The member of a team that the whole session is about. */
  readonly member?: { readonly team: string; readonly name: string } | undefined;
  /** What else no summary may lose. */
  readonly ongoingWork?: (() => Promise<readonly OngoingTeam[]>) | undefined;
  /** Rules that hold for everybody in its team, at this moment. */
  readonly teamRules?: (() => RuleSet["allow"]) | undefined;
  /** The mode that an approved plan leads to where it begins with a plan. */
  readonly afterPlan?: PermissionMode | undefined;
  /** The folder of its own notes. */
  readonly memory?: string | undefined;
  /** Before each turn, after the session's servers of tools. */
  readonly ready?: ((signal: AbortSignal) => Promise<void>) | undefined;
  /** How the messages of the agent that this one is a fork of are had. */
  readonly inherit?: Inherit | undefined;
}

/** One agent with everything it works with: where it is, what it may do, what it has left running. */
export interface AgentRuntime {
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
  /** Another model until the next prompt. */
  setTemporaryModel(ref: string | undefined): Promise<void>;
  setMode(mode: PermissionMode): Promise<void>;
  /** A file for output that is too large for a result. */
  outputFile(name: string): Promise<string>;
}

/** Seats an agent: folds its log, and ties its loop to the session's tools, rules, hooks and processes. */
export function createAgentRuntime(shared: SessionResources, spec: AgentRuntimeOptions): AgentRuntime {
  const { parts, scope } = shared;
  const { opened, clock, createId } = parts;
  const { log, path } = spec;
  const conversation = createConversation(spec.inherit);
  const planModeText = parts.coordinator && path === leadPath ? planModeOnForCoordinator : undefined;
  const plan = createPlanMode(spec.permissionMode, spec.afterPlan, planModeText);
  for (const { event } of log.replayed) {
    conversation.apply(event);
    plan.apply(event);
  }
  let model = spec.model;
  let temporaryModel: ModelClient | undefined;
  let cwd = (spec.isMoved ? undefined : conversation.cwd) ?? spec.cwd;
  let mode = spec.permissionMode;

  const scratchpad = parts.coordinator?.scratchpad ?? parts.member?.scratchpad;
  const policy = createPolicy({
    ...parts,
    roots: spec.roots,
    permissionMode: spec.permissionMode,
    rules: spec.rules,
    ceiling: spec.ceiling,
    bubblesTo: spec.bubblesTo,
    memory: spec.memory,
    scratchpad,
    teamRules: spec.teamRules,
    childEnv: spec.env,
    currentCwd: () => cwd,
    ownFolders: () => [...opened.ownFolders(), ...(parts.slash?.readable ?? []), ...(parts.readable ?? [])],
    sandbox: () => sandbox,
  });
  const sandboxRoots = scratchpad === undefined ? policy.roots : [...policy.roots, scratchpad];
  const sandbox =
    parts.sandbox &&
    createCommandSandbox({
      ...parts.sandbox,
      roots: sandboxRoots,
      readable: () => opened.ownFolders(),
      askHost: parts.member?.askHost,
    });
  const skills = parts.slash?.source(async (rules, source) => {
    for (const problem of policy.grant(rules)) {
      const message = `${source}: one of its allowed-tools is not used: ${problem}`;
      await agent.record({ type: "notice.raised", level: "warning", code: "skill", message });
    }
  });
  const files = createFileTracker();
  const hooks = (spec.openHooks ?? parts.openHooks)?.({
    processes: scope,
    env: spec.env,
    projectFolder: parts.cwd,
    cwd: () => cwd,
    mode: () => mode,
    model: () => model.ref,
    subagent: path === leadPath || spec.member ? undefined : spec.type,
    facts: () => ({
      session_id: opened.sessionId,
      transcript_path: parts.transcriptPath,
      cwd,
      permission_mode: mode,
      // By these a hook knows that it is not the lead it watches.
      ...(path !== leadPath && {
        agent_id: log.agent,
        agent_type: spec.type,
        agent_name: spec.member?.name ?? path.split("/").at(-1),
      }),
      ...(spec.member && { team_name: spec.member.team }),
    }),
    mayMatch: async (rule, { tool: name, input }) => {
      const tool = spec.tools().find((each) => each.name === name);
      return tool === undefined || policy.mayMatch(rule, tool, input);
    },
    record: (event) => agent.record(event),
    clock,
  });
  const background = createBackgroundWork({ ...parts, agent: () => agent });
  const outputFile = async (name: string) => join(await opened.scratchFolder(), name);

  const setMode = async (permissionMode: PermissionMode) => {
    await agent.record({ type: "agent.changed", permissionMode });
    policy.setMode(permissionMode);
    mode = permissionMode;
  };

  const agent: Agent = createAgent({
    ...parts,
    session: opened.sessionId,
    agent: { id: log.agent, path, type: spec.type },
    model: () => temporaryModel ?? model,
    tools: spec.tools,
    maxTurns: spec.maxTurns,
    conversation,
    ledger: shared.ledger,
    sink: log,
    seq: log.replayed.at(-1)?.seq ?? 0,
    publish: (envelope) => {
      plan.apply(envelope.event);
      shared.publish(envelope);
    },
    ready: async (signal) => {
      await parts.mcp?.ready(signal);
      await spec.ready?.(signal);
    },
    hooks: hooks?.agent,
    stillThere: async () =>
      ongoingWork({
        running: background.running(),
        idle: spec.idleSubagents?.() ?? [],
        teams: (await spec.ongoingWork?.()) ?? [],
      }),
    permissions: createPermissions({
      decide: plan.decide(policy.decide),
      remember: plan.remember(policy.remember),
      ask: shared.ask,
      around: async (tool, input) =>
        tool.around?.(input, { cwd, env: spec.env, files, judgedPath: policy.judgedPath(input) }),
      hooks: hooks?.agent,
      createId,
    }),
    saveOutput: (name, data) => opened.saveOutput(name, data),
    contextFor: ({ input, ...call }) => ({
      ...call,
      judgedPath: policy.judgedPath(input),
      agent: { id: log.agent, path },
      get cwd() {
        return cwd;
      },
      setCwd: (next) => {
        cwd = next;
      },
      roots: policy.roots,
      env: spec.env,
      commandTimeoutMs: parts.commandTimeoutMs,
      sandbox,
      files,
      background: background.tasks,
      secrets: parts.secrets,
      skills,
      plan: {
        get isPlanning() {
          return plan.isPlanning;
        },
        leave: async () => {
          const next = plan.next();
          await setMode(next);
          return next;
        },
      },
      processes: scope,
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
    model: () => temporaryModel ?? model,
    async setModel(ref) {
      const next = await parts.makeModel(ref);
      await agent.record({ type: "agent.changed", model: next.ref });
      model = next;
    },
    async setTemporaryModel(ref) {
      temporaryModel = ref === undefined ? undefined : await parts.makeModel(ref);
    },
    setMode,
    outputFile,
  };
}
