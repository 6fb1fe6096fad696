import { join } from "node:path";
import { agentProblemLine } from "../agent/definitions/index.ts";
import { createLedger, refreshSystemPrompt } from "../agent/index.ts";
import { costOf, createGateRegistry, recordModels } from "../model/index.ts";
import { openStateRoot, projectName } from "../platform/index.ts";
import { type AgentDefinition, type ModelClient, type SessionId, TroupeError } from "../protocol/index.ts";
import { createFileSessionStore, type OpenedSession, type SessionStore } from "../store/index.ts";
import { parseRules, ruleProblems, type Tool } from "../tool/index.ts";
import { createAcpTeammate } from "./teams/acp-teammate.ts";
import { createCoordinator, isCoordinating } from "./teams/coordinator-mode.ts";
import { createAgentPrompts } from "./agent-types/agent-prompts.ts";
import { loadAgentExtras } from "./agent-types/load-agent-extras.ts";
import { definitionHooks } from "./hooks/definition-hooks.ts";
import { openHooks } from "./hooks/open-hooks.ts";
import type { Config, ConfigFlags } from "./config/load-config.ts";
import { withRedactionMarkCheck } from "./permissions/refuse-redaction-marks.ts";
import { type SessionMcp, startSessionMcp } from "./mcp/session-mcp.ts";
import { createLazySessionSocket } from "./observe/lazy-session-socket.ts";
import { mergeLogs } from "./merge-logs.ts";
import { openSession } from "./open-session.ts";
import { openSharedAccounts } from "./teams/open-shared-accounts.ts";
import { createLeadRole } from "./teams/create-lead-role.ts";
import { memberMode, resumedMode } from "./permissions/plan-mode.ts";
import { requireFolder, lastModelOf, openIfExists, findSessionToResume } from "./find-session-to-resume.ts";
import { createRemoteWork } from "./remote/remote-work.ts";
import { providerSecrets } from "./config/provider-secrets.ts";
import { requirePrice } from "./config/require-price.ts";
import { smallModelOf, smallModelProblems } from "./config/small-model.ts";
import type { Session } from "./session.ts";
import { type SessionHost, systemHost } from "./session-host.ts";
import type { ProcessShared } from "./teams/process-shared.ts";
import type { MemberContext, PermissionAsker } from "./session-dependencies.ts";
import type { TeamRole, TeamPorts } from "./teams/team-role.ts";
import { createSpawnResolver, recoverWorktrees, type AgentSlots } from "../team/index.ts";
import { runWorktreeRemoveHooks } from "./teams/worktree-remove-hooks.ts";
import { createAgentKnowledge } from "./agent-runtime/agent-knowledge.ts";
import { withNestedInstructions } from "./instructions/nested-instructions.ts";
import { isTranscriptEvent } from "../view/index.ts";
import { refuseTeammateSession } from "./teams/refuse-teammate-session.ts";
import type { FolderTrust } from "./trust/withheld-settings.ts";

export interface StartOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly flags: ConfigFlags & {
    readonly thinkingTokens?: number | undefined;
    readonly record?: string | undefined;
    readonly forks?: boolean | undefined;
    /** The team to lead, created if it does not exist. */
    readonly team?: string | undefined;
    /**
     * The lead delegates all work. When omitted, a resumed session keeps its setting, and a new one uses the
     * environment.
     */
    readonly coordinator?: boolean | undefined;
  };
  /** A session id, or `latest` for the most recent session of this folder. */
  readonly resume?: string | undefined;
  /** Allows resuming a teammate's session alone, for work that is not part of its team. */
  readonly isBesideTeam?: boolean | undefined;
  readonly asker: PermissionAsker;
  /** `all` trusts `cwd` for this run. The default is the user's stored decision. */
  readonly trust?: FolderTrust | undefined;
  /** How long the first turn waits for MCP servers that are still starting. The default is 10 s. */
  readonly mcpWaitMs?: number | undefined;
  /** Replaces the model from the flags and settings. */
  readonly model?: ModelClient | undefined;
  /** Additional tools. A tool with the name of a built-in tool replaces it. */
  readonly tools?: readonly Tool[] | undefined;
  /** The machine that the session runs on. The default is this one. */
  readonly host?: SessionHost | undefined;
  /** The agents whose transcripts `view()` holds. A frontend that folds the events itself does not need them twice. */
  readonly keep?: "all" | "lead" | "none" | undefined;
  /** Lets other processes of the user follow and command the session, such as a dashboard. The default is true. */
  readonly isObservable?: boolean | undefined;
  /** Replaces the files under TROUPE_HOME. */
  readonly store?: SessionStore | undefined;
  /** The session with this id is resumed if it exists, otherwise created. */
  readonly sessionId?: SessionId | undefined;
  /** The teammate that this session runs. */
  readonly member?: MemberWishes | undefined;
  /** Connects a teammate's session to its team. */
  readonly team?: ((ports: TeamPorts) => TeamRole) | undefined;
  readonly shared?: ProcessShared | undefined;
  /** Limits on the agents that a teammate may start, if they are shared with its team. */
  readonly spawnLimits?: AgentSlots | undefined;
}

export interface MemberWishes extends Omit<MemberContext, "definition"> {
  readonly agentType: string;
}

/** Starts or resumes a session from the user's options. All problems are found before anything is written. */
export async function startSession(options: StartOptions): Promise<Session> {
  const host = options.host ?? systemHost();
  const { clock, createId } = host;
  let config = await host.loadConfig(options);
  const recording =
    options.flags.record === undefined
      ? undefined
      : await recordModels(options.flags.record, { clock, secrets: providerSecrets(config) });
  const gates = options.shared?.gates ?? createGateRegistry(clock);
  const models = options.shared?.models ?? new Map<string, Promise<ModelClient>>();
  const modelFor = (ref: string) => {
    const known = models.get(ref) ?? (options.model?.ref === ref ? Promise.resolve(options.model) : pricedModel(ref));
    models.set(ref, known);
    return known;
  };
  const pricedModel = async (ref: string) => {
    const model = await makeModel(ref);
    requirePrice(model, config);
    return model;
  };
  const makeModel = async (ref: string | undefined) => {
    const model = await host.createModel({
      ref,
      env: config.providerEnv,
      overrides: overridesOf(config),
      retry: retryOf(config),
      gates,
      clock,
      random: Math.random,
      cwd: config.cwd,
    });
    return recording ? recording.through(model) : model;
  };

  let opened: OpenedSession | undefined;
  let mcp: SessionMcp | undefined;
  let acp: Awaited<ReturnType<typeof createAcpTeammate>>;
  let closeSharedAccounts: (() => Promise<void>) | undefined;
  try {
    const inMemory = options.store ?? host.memory?.sessions;
    const store = inMemory ?? createFileSessionStore({ home: config.home, clock, createId });
    if (options.resume !== undefined) {
      opened = await store.open(await findSessionToResume(options.resume, store, config));
      // Trust in this folder does not apply to another folder.
      if (opened.cwd !== config.cwd)
        config = await host.loadConfig({ ...options, cwd: requireFolder(opened.cwd), trust: undefined });
      const teams = host.openTeamStore({ ...config, clock, createId });
      if (!options.isBesideTeam) await refuseTeammateSession(opened.sessionId, opened.leadLog.replayed, teams);
    }
    if (options.sessionId !== undefined) opened = await openIfExists(store, options.sessionId);
    mcp = await startSessionMcp({ config, env: options.env, clock, waitMs: options.mcpWaitMs ?? defaultMcpWaitMs });
    const hooks = await openHooks(config.hooks);
    const ref = options.flags.model ?? lastModelOf(opened) ?? config.model;
    const known = ref === undefined ? undefined : models.get(ref);
    const { definitions: loaded, instructions, commands: slash, docs, git, branchOf } = await host.loadFiles(config);
    const member = options.member && definitionOf(options.member, loaded.agents);
    acp = member && (await createAcpTeammate(member, { ...options, config, createId }));
    const model = acp ?? options.model ?? (await (known ?? makeModel(ref)));
    if (!acp) {
      models.set(model.ref, Promise.resolve(model));
      requirePrice(model, config);
    }
    const rules = parseRules(
      config.rules,
      options.tools?.map(({ name }) => name),
    );
    const initial = instructions.initial();
    const knowledge = createAgentKnowledge(instructions);
    if (!opened) {
      if (!inMemory) await openStateRoot(config.home);
      const sessionId = options.sessionId ?? createId<SessionId>("ses");
      opened = await store.create({ sessionId, cwd: config.cwd });
    }
    const { sessionId } = opened;
    const isResumed = opened.leadLog.replayed.length > 0;
    const budget = { maxBudgetUsd: config.maxBudgetUsd, maxTokens: config.limits.maxTokens };
    const sharedAccounts = options.shared
      ? undefined
      : await openSharedAccounts({ options, config, opened, clock, createId });
    closeSharedAccounts = sharedAccounts?.close;
    const shared: ProcessShared = options.shared ?? {
      gates,
      models,
      ledger: sharedAccounts?.ledger?.ledger ?? createLedger(budget),
      counted: new Set(),
      limits: sharedAccounts?.limits,
      isUnattended: options.asker === "nobody",
    };
    const isCounted = shared.counted.has(sessionId);
    shared.counted.add(sessionId);
    const logFile = join(config.home, "projects", projectName(config.cwd), `${sessionId}.jsonl`);
    const merged = mergeTools(usableTools(host.builtinTools(), slash), options.tools ?? []);
    const tools = withRedactionMarkCheck(withNestedInstructions(merged, (id) => knowledge.of(id).instructions));
    const coordinates =
      !options.member &&
      isCoordinating({
        flag: options.flags.coordinator,
        replayed: opened.leadLog.replayed,
        environment: config.coordinatorMode,
      });
    const remote =
      config.bus && !options.member
        ? createRemoteWork({ ...config, bus: config.bus, clock, outlives: !options.store })
        : undefined;
    const leadTeams =
      options.member || options.store
        ? undefined
        : createLeadRole({
            host,
            ledgerFile: sharedAccounts?.ledger?.path,
            slotsFile: sharedAccounts?.limits?.path,
            remote,
            deny: rules.deny.map(({ text }) => text),
            options,
            config,
            shared,
            opened,
            resolver: createSpawnResolver({
              definitions: loaded.agents.map(({ definition }) => definition),
              rules,
              forks: false,
              coordinator: coordinates,
              modelOverride: config.subagentModel?.value,
              modeSetting: config.subagents.permissionMode,
              remote: remote !== undefined && config.claudeFolder === undefined,
            }),
          });
    const coordinator = coordinates
      ? createCoordinator({
          scratchpad: await opened.scratchpadFolder(),
          definitions: loaded.agents.map(({ definition }) => definition),
          simple: config.simpleWorkers,
        })
      : undefined;
    const prompts = createAgentPrompts({
      cwd: config.cwd,
      addedDirectories: config.additionalDirectories.map(({ value }) => value),
      date: new Date(clock.now()).toISOString().slice(0, 10),
      git,
      branchOf,
      instructionFiles: initial.files,
      skills: slash.listed,
      append: config.appendSystemPrompt,
      allow: rules.allow,
      asks: askedBy(options),
      docs,
      scratchpad: coordinator?.scratchpad,
    });
    const telemetry =
      config.telemetry &&
      (await import("./telemetry/start-telemetry.ts")).startTelemetry(config.telemetry, {
        sessionId,
        leadSessionId: options.member?.leadSession,
        cwd: config.cwd,
      });
    return await openSession({
      opened,
      telemetry,
      coordinator,
      readStored: async () => mergeLogs(await store.read(sessionId)),
      readTranscript: (session, agent) => store.readLog(session, { agent, only: isTranscriptEvent }),
      keep: options.keep,
      earlierAgents: !isResumed ? [] : [...(await store.readAgents(sessionId)).values()].flat(),
      cwd: config.cwd,
      addedDirectories: config.additionalDirectories.map(({ value }) => value),
      localSettings: config.localSettings,
      model,
      makeModel,
      costOf: (ref, usage) => costOf(ref, usage, { models: config.models }).usd,
      tools: () => (mcp ? [...tools, ...mcp.tools()] : tools),
      system: (stored, now) => {
        const fresh = prompts.lead({ ...now, workers: coordinator?.facts(tools) });
        const refresh = (before: readonly string[]) => refreshSystemPrompt(before, fresh);
        return mcp ? mcp.system(stored, refresh) : refresh(stored);
      },
      mcp,
      permissionMode: resumedMode(opened.leadLog.replayed, {
        asked:
          options.member && isResumed
            ? memberMode(opened.leadLog.replayed, options.member.mode)
            : options.flags.permissionMode,
        configured: config.permissionMode,
      }),
      slash,
      readable: docs === undefined ? [] : [docs],
      rules,
      asker: options.asker,
      childEnv: config.childEnv,
      openHooks: hooks?.create,
      transcriptPath: inMemory ? "" : logFile,
      secrets: providerSecrets(config),
      sandbox: { settings: config.sandbox, userHome: config.userHome, stateRoot: config.home },
      commandTimeoutMs: config.bash.timeoutMs,
      maxTurns: config.maxTurns,
      limits: config.limits,
      spawnLimits: options.spawnLimits ?? sharedAccounts?.limits?.forSession({ sessionId }),
      agents: {
        definitions: loaded.agents.map(({ definition }) => definition),
        forks: (options.flags.forks ?? false) && !coordinates,
        backgroundAfterMs: config.subagents.handOverMs ?? defaultBackgroundAfterMs,
        modelOverride: config.subagentModel?.value,
        modeSetting: config.subagents.permissionMode,
        watchdog: config.watchdog,
        repository: config,
        remote,
        place: { home: config.home, userHome: config.userHome },
        modelFor,
        sideQuestions: {
          progress: config.subagents.progressSummaries ?? true,
          history: config.subagents.historySummaries ?? true,
          reportCheck: config.subagents.handOverCheck === "on",
        },
        smallModelFor: (ref) => {
          const small = smallModelOf(ref, { smallModel: config.smallModel, overrides: overridesOf(config) });
          return small === undefined ? undefined : () => modelFor(small);
        },
        systemOf: prompts.of,
        loadExtras: (definition, own) =>
          loadAgentExtras(definition, { ...own, config, env: options.env, clock, mcp, slash }),
        recoverWorktrees: () =>
          recoverWorktrees({ ...config, env: config.childEnv, clock, createId }, (removed) =>
            runWorktreeRemoveHooks(removed, { config, clock }),
          ),
        hooksOf: async (definition) => {
          const own = definitionHooks(definition);
          return own && config.hooksAllowed ? openHooks([...config.hooks, own]) : undefined;
        },
        readLogs: async () => (await store.read(sessionId)).agents,
        readLead: async () => (await store.read(sessionId)).lead,
      },
      knowledge,
      ledger: shared.ledger,
      isCounted,
      member: options.member && member && { ...options.member, definition: member },
      team: options.team ?? leadTeams,
      compaction: config.compaction,
      thinkingTokens: options.flags.thinkingTokens,
      onClose: async () => {
        await Promise.all([acp?.close(), remote?.close()]);
        await closeSharedAccounts?.();
        await recording?.finish();
      },
      notices: [
        ...config.notices,
        ...smallModelProblems(model.ref, { ...config, overrides: overridesOf(config) }),
        ...loaded.problems.map(agentProblemLine),
        ...(hooks?.notices ?? []),
        ...initial.notices.concat(slash.notices),
        ...(options.member ? [] : ruleProblems(rules)),
      ],
      openSessionSocket:
        options.isObservable === false || inMemory
          ? undefined
          : createLazySessionSocket({ home: config.home, clock, createId }),
      clock,
      createId,
    });
  } catch (error) {
    await mcp?.close();
    await acp?.close();
    await closeSharedAccounts?.();
    await opened?.close();
    throw error;
  }
}

type DefinitionList = readonly { readonly definition: AgentDefinition }[];

const defaultMcpWaitMs = 10_000;
/** How long an agent works in the foreground before it moves to the background automatically. */
const defaultBackgroundAfterMs = 120_000;

function definitionOf({ name, agentType }: MemberWishes, agents: DefinitionList): AgentDefinition {
  const found = agents.find(({ definition }) => definition.name === agentType);
  if (found) return found.definition;
  throw new TroupeError("team", `Agent type ${agentType}, used by ${name}, no longer exists.`);
}

/** The one that answers permission questions: of a teammate, the user of its lead. */
function askedBy({ asker, member, shared }: StartOptions) {
  if (asker === "nobody" || shared?.isUnattended) return "none";
  if (!member) return "user";
  return member.prompt.team && "lead";
}

/** Without skills there is nothing for Skill to load. */
const usableTools = (tools: readonly Tool[], { listed }: { readonly listed: readonly unknown[] }) =>
  tools.filter(({ name }) => name !== "Skill" || listed.length > 0);

function mergeTools(builtin: readonly Tool[], own: readonly Tool[]): Tool[] {
  const names = new Set(own.map((tool) => tool.name));
  return [...builtin.filter((tool) => !names.has(tool.name)), ...own];
}

const overridesOf = ({ aliases, models }: Config) => ({ aliases, models });

const retryOf = ({ retry }: Config) => ({
  ...(retry.maxAttempts !== undefined && { maxAttempts: retry.maxAttempts }),
  ...(retry.stallMs !== undefined && { stallMs: retry.stallMs }),
});
