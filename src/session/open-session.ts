import { selectAgentTools } from "../agent/definitions/index.ts";
import { isDiskFull, refreshSystemPrompt } from "../agent/index.ts";
import { closeAll, createProcessScope, version } from "../platform/index.ts";
import {
  type Ack,
  type AgentDefinition,
  type Envelope,
  leadPath,
  type PermissionMode,
  TroupeError,
} from "../protocol/index.ts";
import { adaptTools, type CommandSandbox, type Tool } from "../tool/index.ts";
import { agentOf, type AgentView, emptyView, dropTranscript, reduce, type SessionView } from "../view/index.ts";
import { compactLead, dispatch } from "./dispatch.ts";
import { createEventHub } from "./event-hub.ts";
import { createPermissionBroker, type PermissionBroker } from "./permissions/permission-broker.ts";
import { submitPrompt } from "./slash-commands/submit-prompt.ts";
import { createAgentRuntime, type AgentRuntime, type SessionResources } from "./agent-runtime/agent-runtime.ts";
import type { LoadedExtras } from "./agent-types/agent-extras.ts";
import type { Session } from "./session.ts";
import { createSessionSubagents } from "./subagents/subagents.ts";
import type { MemberContext, SessionDependencies } from "./session-dependencies.ts";
import { noOpenWork } from "./teams/ongoing-team-work.ts";
import type { TeamRole } from "./teams/team-role.ts";
import { memoizeByList } from "./agent-runtime/memoize-by-list.ts";
import { warnOnOverlap } from "./subagents/warn-on-overlap.ts";

/** Opens a session from its log, new or existing, and returns the object that all frontends use. */
export async function openSession(parts: SessionDependencies): Promise<Session> {
  const { opened, createId, ledger } = parts;
  const log = opened.leadLog;
  const resumed = log.replayed.length > 0;
  if (!parts.isCounted) {
    for (const { event } of [...log.replayed, ...(parts.earlierAgents ?? [])]) ledger.recall(event);
  }
  const fold = (before: SessionView, envelope: Envelope): SessionView => {
    const isKept = (parts.keep ?? "all") === "all" || (parts.keep === "lead" && envelope.agent === log.agent);
    const after = reduce(before, envelope);
    return isKept ? after : dropTranscript(after, envelope.agent);
  };
  let view = [...log.replayed, ...(parts.earlierAgents ?? [])].reduce(fold, emptyView);
  let closing: Promise<void> | undefined;

  const hub = createEventHub(parts.readStored);
  const scope = createProcessScope();
  const broker = createPermissionBroker();
  const ask = askerOf(parts.asker, broker);
  const shared: SessionResources = {
    parts,
    ledger,
    scope,
    ask,
    publish: (envelope) => {
      view = fold(view, envelope);
      hub.publish(envelope);
      parts.telemetry?.observe(envelope);
      overlap?.(envelope);
      if (envelope.agent === log.agent) team?.observe(envelope);
    },
  };
  const overlap =
    parts.agents &&
    warnOnOverlap({
      lead: () => lead,
      agentOf: (id) => (id === log.agent ? lead : subagents?.agentOf(id)),
    });
  const subagents =
    parts.agents && createSessionSubagents(shared, { ...parts.agents, lead: () => runtime, leadTools: () => tools() });
  const { member } = parts;
  const path = member?.path ?? leadPath;
  const cwd = member?.folder ?? parts.cwd;
  const roots = [cwd, ...parts.addedDirectories];
  const extras = member && (await parts.agents?.loadExtras(member.definition, { cwd, roots }));
  const definition = extras?.definition ?? member?.definition;
  const team: TeamRole | undefined = parts.team?.({
    sessionId: opened.sessionId,
    agent: () => lead,
    runtime: () => runtime,
    shared,
    subagents,
    replayed: log.replayed,
    tools: () => tools(),
  });
  const spawnTools = subagents?.toolsOf(() => runtime, path, team?.starter) ?? [];
  const pool = () => withTeamTools([...(extras?.pool(parts.tools()) ?? parts.tools()), ...spawnTools], team);
  const { coordinator } = parts;
  const leadTools = memoizeByList(() => leadPool(parts, pool(), team), adaptTools);
  const tools: () => readonly Tool[] = definition ? memberTools(definition, pool, parts.permissionMode) : leadTools;
  const memberHooks = definition && (await parts.agents?.hooksOf(definition));
  const runtime: AgentRuntime = createAgentRuntime(shared, {
    ...parts,
    cwd,
    roots,
    tools,
    path,
    type: definition?.name ?? "lead",
    log,
    env: member ? { ...parts.childEnv, ...member.env } : parts.childEnv,
    maxTurns: definition?.maxTurns ?? parts.maxTurns,
    member,
    memory: extras?.memory,
    ready: readyOf(extras, team),
    openHooks: memberHooks?.create,
    teamRules: member?.teamRules,
    afterPlan: member?.mode,
    ongoingWork: async () => (await team?.ongoingWork()) ?? [],
    subagents: () => subagents?.subagentsOf(log.agent) ?? [],
  });
  const loadedExtras = await extras?.load(runtime.policy, tools);
  const { agent: lead, conversation, policy, plan, background, sandbox, hooks } = runtime;
  const sandboxNotices = await sandboxNoticesFor(sandbox);
  parts.telemetry?.attach((message) => {
    if (!closing)
      void ignoreDiskFull(lead.record({ type: "notice.raised", level: "warning", code: "telemetry", message }));
  });

  /** A full disk must not prevent closing. The log can be resumed without its last events. */
  const ignoreDiskFull = async (write: Promise<void> | undefined) => {
    try {
      await write;
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      const reason = "The disk is full, so the end of the session was not recorded. The session can still be resumed.";
      lead.live({ type: "turn.waiting", turn: conversation.turn, reason });
    }
  };

  const close = async (reason: "completed" | "interrupted" | "failed") => {
    await closeAll([
      () => ignoreDiskFull(subagents?.leave()),
      lead.close,
      () => team?.close(),
      () => ignoreDiskFull(recovering),
      // In parallel, so that no agent is woken by another one's end.
      () => Promise.all([subagents?.interruptAll("the session was closed"), background.stopAll()]),
      () => subagents?.close(),
      () => ignoreDiskFull(hooks?.ended(reason)),
      () => extras?.stop(),
      () => parts.mcp?.close(),
      () => scope.close(),
      () => sandbox?.close(),
      () => ignoreDiskFull(lead.record({ type: "session.closed", reason })),
      () => hub.close(),
      // While this process owns the session: the next owner opens its own socket.
      () => socket?.close(),
      () => opened.close(),
      () => parts.telemetry?.close(),
      () => parts.onClose?.(),
    ]);
  };

  await lead.record({
    type: "session.opened",
    sessionId: opened.sessionId,
    version,
    cwd: parts.cwd,
    resumed,
    ...(coordinator && { coordinator: true }),
    ...(ledger.budget.maxBudgetUsd !== undefined && { maxBudgetUsd: ledger.budget.maxBudgetUsd }),
  });
  if (!resumed) {
    await lead.record({
      type: "agent.spawned",
      path,
      agentType: definition?.name ?? "lead",
      model: parts.model.ref,
      permissionMode: parts.permissionMode,
      cwd,
    });
  }
  const changes = changesSince(agentOf(view, log.agent), { cwd, permissionMode: parts.permissionMode });
  if (resumed && changes) await lead.record({ type: "agent.changed", ...changes });
  for (const message of [...opened.notices, ...parts.notices, ...sandboxNotices, ...(loadedExtras?.notices ?? [])]) {
    await lead.record({ type: "notice.raised", level: "warning", code: "start", message });
  }
  if (resumed) await subagents?.resumeRemoteAgents(runtime, log.replayed);
  await subagents?.reportLostAgents(runtime, log.replayed);
  await lead.closeOpenCalls();
  await background.recover(log.replayed, async (started) => subagents?.reportLostWork(started));
  const now = { tools: tools().map(({ name }) => name), mode: parts.permissionMode };
  const own = member && loadedExtras && { ...now, ...memberPlace(member, loadedExtras), cwd };
  const system =
    definition && own && parts.agents
      ? refreshSystemPrompt(conversation.system, await parts.agents.systemOf(definition, own))
      : parts.system(conversation.system, now);
  if (system !== conversation.system) await lead.record({ type: "context.composed", system: [...system] });
  parts.mcp?.attach({
    ...lead,
    ask,
    createId,
    system: () => conversation.system,
    turn: () => conversation.turn,
    outputFile: (name) => runtime.outputFile(`${createId("out")}-${name}`),
    describe: coordinator && (() => coordinator.servers(parts.tools())),
  });
  extras?.attach({ record: lead.record, ask, createId });
  hooks?.started(resumed ? "resume" : "startup");
  try {
    await team?.start();
  } catch (error) {
    await team?.close();
    throw error;
  }
  // In the background: closing waits for it, the first turn does not.
  const recovering = recoverWorktrees();
  // `close` reports a failure. Until then it counts as handled.
  recovering.catch(() => undefined);

  const session: Session = {
    id: opened.sessionId,
    cwd: parts.cwd,
    async dispatch(command) {
      const ack = closing ? closedAck : await tryDispatch(command);
      if (!closing && (command.id !== undefined || !ack.ok)) {
        lead.live({
          type: "command.settled",
          ok: ack.ok,
          ...(command.id !== undefined && { commandId: command.id }),
          ...(!ack.ok && { code: ack.code, message: ack.message }),
        });
      }
      return ack;
    },
    events: (options) => hub.subscribe(options),
    view: () => view,
    transcript: ({ session, agent }) => parts.readTranscript(session ?? opened.sessionId, agent),
    slashCommands: () =>
      commands().map(({ name, description, argumentHint, source }) => ({ name, description, argumentHint, source })),
    settled: async () => lead.settled(),
    async delegate(work) {
      if (!subagents || closing) throw new TroupeError("agent", "This session cannot start agents.");
      return subagents.delegate(work);
    },
    openWork: async () => (await team?.openWork?.()) ?? noOpenWork,
    backgroundRunning: () => [...background.running(), ...(team?.running() ?? [])],
    close: (reason = "completed") => (closing ??= close(reason)),
  };
  const socket = parts.openSessionSocket?.(session, async (message) => {
    if (!closing) await lead.record({ type: "notice.raised", level: "warning", code: "door", message });
  });
  return session;

  function commands() {
    return [...(parts.slash?.commands ?? []), ...(parts.mcp?.commands() ?? [])];
  }

  async function recoverWorktrees(): Promise<void> {
    for (const message of (await parts.agents?.recoverWorktrees()) ?? []) {
      if (!closing) await lead.record({ type: "notice.raised", level: "warning", code: "worktree", message });
    }
  }

  async function submitUserPrompt(content: Parameters<typeof submitPrompt>[0]): Promise<Ack> {
    await parts.mcp?.beforePrompt(content);
    const read = parts.tools().find((tool) => tool.name === "Read");
    return submitPrompt(content, {
      lead,
      hooks,
      policy,
      cwd: runtime.cwd(),
      commands,
      userHome: parts.slash?.userHome ?? "",
      isTrusted: parts.slash?.isTrusted ?? false,
      reminders: plan.reminders,
      canRead: async (path) => !!read && (await policy.decide(read, { file_path: path })).behavior === "allow",
      setTemporaryModel: runtime.setTemporaryModel,
      compact: (instructions) => compactLead(lead, instructions),
    });
  }

  async function tryDispatch(command: Parameters<Session["dispatch"]>[0]): Promise<Ack> {
    try {
      return await dispatch(command, {
        lead,
        broker,
        background: background.tasks,
        setModel: runtime.setModel,
        setMode: runtime.setMode,
        submitPrompt: submitUserPrompt,
        sendToBackground: () => subagents?.sendToBackground(),
        submitPromptTo: async (path, content) =>
          subagents?.sendPrompt(path, typeof content === "string" ? [{ type: "text", text: content }] : content),
        paths: () => subagents?.paths() ?? [],
        interruptAgent: async (path) => (await subagents?.interrupt(path)) ?? false,
        reconnect: (server) => parts.mcp?.reconnect(server) ?? noServers,
        team: async (asked) => team?.dispatch(asked) ?? noTeam,
        close: () => (closing ??= close("completed")),
      });
    } catch (error) {
      if (TroupeError.is(error)) return { ok: false, code: error.code, message: error.message };
      throw error;
    }
  }
}

const readyOf =
  (extras: { ready(signal: AbortSignal): Promise<void> } | undefined, team: TeamRole | undefined) =>
  async (signal: AbortSignal): Promise<void> => {
    await extras?.ready(signal);
    await team?.ready?.(signal);
  };

/** The facts of a resumed agent that its log does not have: commands of earlier versions could move it. */
function changesSince(
  before: AgentView | undefined,
  now: Pick<AgentView, "cwd" | "permissionMode">,
): Partial<typeof now> | undefined {
  if (!before) return undefined;
  const changes = {
    ...(before.cwd !== now.cwd && { cwd: now.cwd }),
    ...(before.permissionMode !== now.permissionMode && { permissionMode: now.permissionMode }),
  };
  return Object.keys(changes).length === 0 ? undefined : changes;
}

/** A team tool replaces a tool of the same name. */
function withTeamTools(tools: readonly Tool[], team: TeamRole | undefined): readonly Tool[] {
  if (!team) return tools;
  const names = new Set(team.tools.map(({ name }) => name));
  return [...tools.filter(({ name }) => !names.has(name)).map(team.adaptTool), ...team.tools];
}

/** The tools of a lead. Without a user, plan mode is never switched on and there is no plan to present. */
function leadPool(parts: SessionDependencies, pool: readonly Tool[], team: TeamRole | undefined): readonly Tool[] {
  if (parts.coordinator) return parts.coordinator.leadTools(pool, team);
  const plans = parts.asker !== "nobody" || parts.permissionMode === "plan";
  return plans ? pool : pool.filter(({ name }) => name !== "ExitPlanMode");
}

/** A teammate without its own folder works in that of its lead. */
function memberPlace({ folder, prompt }: MemberContext, extras: LoadedExtras) {
  const { team, worktree, blocks } = prompt;
  const sharedWith = folder === undefined ? team?.lead : undefined;
  return { team, worktree, sharedWith, extras: { ...extras, blocks: [...extras.blocks, ...blocks] } };
}

function memberTools(definition: AgentDefinition, pool: () => readonly Tool[], mode: PermissionMode) {
  const userDefined = definition.source.level !== "built-in";
  const select = memoizeByList(pool, (now) =>
    selectAgentTools({ definition, pool: now, kind: "teammate", mode, userDefined }),
  );
  return () => select().tools;
}

function askerOf(asker: SessionDependencies["asker"], broker: PermissionBroker): SessionResources["ask"] {
  if (asker === "nobody") return () => undefined;
  return asker === "reply" ? broker.ask : asker;
}

const noServers: Ack = { ok: false, code: "no_such_server", message: "this session has no MCP servers" };

const noTeam: Ack = { ok: false, code: "no_such_team", message: "this session leads no team" };

/** Warns at the start if a requested sandbox is not available. */
async function sandboxNoticesFor(sandbox: CommandSandbox | undefined): Promise<string[]> {
  const problem = await sandbox?.problem();
  if (problem === undefined) return [];
  const consequence = sandbox?.required ? "no commands will run" : "commands run without it and require approval";
  return [`the sandbox is unavailable: ${problem}; ${consequence}`];
}

const closedAck: Ack = {
  ok: false,
  code: "session_closed",
  message: "the session is closed: open it again with --resume",
};
