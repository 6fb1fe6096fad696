import { join } from "node:path";
import { type Agent, createAgent, createConversation, createLedger, createPermissions } from "../agent/index.ts";
import { createProcessScope, safeName, version } from "../platform/index.ts";
import {
  type Ack,
  type Envelope,
  leadPath,
  type ModelClient,
  type PermissionMode,
  TroupeError,
} from "../protocol/index.ts";
import { type CommandSandbox, createCommandSandbox, createFileTracker } from "../tool/index.ts";
import { emptyView, leadOf, reduce } from "../view/index.ts";
import { compactLead, dispatch } from "./dispatch.ts";
import { createHub } from "./hub.ts";
import { createPermissionBroker } from "./permission-broker.ts";
import { createPlanMode, lastMode } from "./plan-mode.ts";
import { createPolicy } from "./policy.ts";
import { sayPrompt } from "./say-prompt.ts";
import type { Session } from "./session.ts";
import { createSessionBackground } from "./session-background.ts";
import type { SessionParts } from "./session-parts.ts";

/** Brings a session to life from its log, new or old, and hands out the one object that everybody drives it with. */
export async function openSession(parts: SessionParts): Promise<Session> {
  const { opened, clock, createId } = parts;
  const log = opened.leadLog;
  const resumed = log.replayed.length > 0;
  const conversation = createConversation();
  const ledger = createLedger({ maxBudgetUsd: parts.maxBudgetUsd, maxTokens: parts.limits?.maxTokens });
  const plan = createPlanMode(parts.permissionMode);
  for (const { event } of log.replayed) {
    conversation.apply(event);
    plan.apply(event);
    ledger.recall(event);
  }
  for (const { event } of parts.earlierAgents ?? []) ledger.recall(event);
  let view = log.replayed.reduce(reduce, emptyView);
  let model = parts.model;
  /** Until the next prompt. */
  let borrowed: ModelClient | undefined;
  let cwd = conversation.cwd ?? parts.cwd;
  let closing: Promise<void> | undefined;

  const hub = createHub(parts.readStored);
  const publish = (envelope: Envelope) => {
    view = reduce(view, envelope);
    plan.apply(envelope.event);
    hub.publish(envelope);
  };
  const scope = createProcessScope();
  const broker = createPermissionBroker();
  const policy = createPolicy({
    ...parts,
    currentCwd: () => cwd,
    ownFolders: () => [...opened.ownFolders(), ...(parts.slash?.readable ?? [])],
    sandbox: () => sandbox,
  });
  const sandbox =
    parts.sandbox &&
    createCommandSandbox({ ...parts.sandbox, roots: policy.roots, readable: () => opened.ownFolders() });
  const sandboxNotices = await noSandbox(sandbox);
  const skills = parts.slash?.source(async (rules, source) => {
    for (const problem of policy.grant(rules)) {
      const message = `${source}: one of its allowed-tools is not used: ${problem}`;
      await lead.record({ type: "notice.raised", level: "warning", code: "skill", message });
    }
  });
  const files = createFileTracker();

  const hooks = parts.openHooks?.({
    processes: scope,
    env: parts.childEnv,
    projectFolder: parts.cwd,
    cwd: () => cwd,
    mode: () => leadOf(view)?.permissionMode ?? parts.permissionMode,
    model: () => model.ref,
    facts: () => ({
      session_id: opened.sessionId,
      transcript_path: parts.transcriptPath,
      cwd,
      permission_mode: leadOf(view)?.permissionMode ?? parts.permissionMode,
    }),
    speaksOf: async (rule, { tool: name, input }) => {
      const tool = parts.tools().find((each) => each.name === name);
      return tool === undefined || policy.speaksOf(rule, tool, input);
    },
    record: (event) => lead.record(event),
    clock,
  });

  const background = createSessionBackground({ ...parts, agent: () => lead });
  const lead: Agent = createAgent({
    ...parts,
    session: opened.sessionId,
    agent: { id: log.agent, path: leadPath, type: "lead" },
    model: () => borrowed ?? model,
    conversation,
    ledger,
    sink: log,
    seq: log.replayed.at(-1)?.seq ?? 0,
    publish,
    ready: parts.mcp?.ready,
    hooks: hooks?.agent,
    permissions: createPermissions({
      decide: plan.decide(policy.decide),
      remember: plan.remember(policy.remember),
      ask: askerOf(),
      hooks: hooks?.agent,
      createId,
    }),
    saveOutput: (name, data) => opened.saveOutput(name, data),
    contextFor: ({ input, ...call }) => ({
      ...call,
      judgedPath: policy.judgedPath(input),
      agent: { id: log.agent, path: leadPath },
      get cwd() {
        return cwd;
      },
      setCwd: (path) => {
        cwd = path;
      },
      roots: policy.roots,
      env: parts.childEnv,
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
      outputFile: async (name) => join(await opened.scratchFolder(), `${safeName(call.callId)}-${name}`),
    }),
  });

  function askerOf(): Parameters<typeof createPermissions>[0]["ask"] {
    const { asker } = parts;
    if (asker === "nobody") return () => undefined;
    return asker === "reply" ? broker.ask : asker;
  }

  const setModel = async (ref: string) => {
    const next = await parts.makeModel(ref);
    await lead.record({ type: "agent.changed", model: next.ref });
    model = next;
  };

  const setMode = async (permissionMode: PermissionMode) => {
    await lead.record({ type: "agent.changed", permissionMode });
    policy.setMode(permissionMode);
  };

  const close = async (reason: "completed" | "interrupted" | "failed") => {
    await lead.interrupt();
    await background.stopAll();
    await hooks?.ended(reason);
    await parts.mcp?.close();
    await scope.close();
    await sandbox?.close();
    await lead.record({ type: "session.closed", reason });
    hub.close();
    await opened.close();
    await parts.onClose?.();
  };

  await lead.record({ type: "session.opened", sessionId: opened.sessionId, version, cwd: parts.cwd, resumed });
  if (!resumed) {
    await lead.record({
      type: "agent.spawned",
      path: leadPath,
      agentType: "lead",
      model: model.ref,
      permissionMode: parts.permissionMode,
      cwd: parts.cwd,
    });
  }
  if (resumed && lastMode(log.replayed) !== parts.permissionMode) {
    await lead.record({ type: "agent.changed", permissionMode: parts.permissionMode });
  }
  for (const message of [...opened.notices, ...parts.notices, ...sandboxNotices]) {
    await lead.record({ type: "notice.raised", level: "warning", code: "start", message });
  }
  await lead.closeOpenCalls();
  const system = parts.system(conversation.system);
  if (system !== conversation.system) await lead.record({ type: "context.composed", system: [...system] });
  parts.mcp?.attach({
    ...lead,
    ask: askerOf(),
    createId,
    system: () => conversation.system,
    turn: () => conversation.turn,
    outputFile: async (name) => join(await opened.scratchFolder(), `${createId("out")}-${name}`),
  });
  hooks?.started(resumed ? "resume" : "startup");

  return {
    id: opened.sessionId,
    cwd: parts.cwd,
    async dispatch(command) {
      const ack = closing ? closedAck : await attempt(command);
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
    async settled() {
      return lead.settled();
    },
    backgroundRunning: () => background.running(),
    close: (reason = "completed") => (closing ??= close(reason)),
  };

  async function say(content: Parameters<typeof sayPrompt>[0]): Promise<Ack> {
    await parts.mcp?.heard(content);
    const read = parts.tools().find((tool) => tool.name === "Read");
    return sayPrompt(content, {
      lead,
      hooks,
      policy,
      cwd,
      commands: () => [...(parts.slash?.commands ?? []), ...(parts.mcp?.commands() ?? [])],
      userHome: parts.slash?.userHome ?? "",
      isTrusted: parts.slash?.isTrusted ?? false,
      news: plan.news,
      mayRead: async (path) => !!read && (await policy.decide(read, { file_path: path })).behavior === "allow",
      borrowModel: async (ref) => {
        borrowed = ref === undefined ? undefined : await parts.makeModel(ref);
      },
      compact: (instructions) => compactLead(lead, instructions),
    });
  }

  async function attempt(command: Parameters<Session["dispatch"]>[0]): Promise<Ack> {
    try {
      return await dispatch(command, {
        lead,
        broker,
        background: background.tasks,
        setModel,
        setMode,
        say,
        reconnect: (server) => parts.mcp?.reconnect(server) ?? noServers,
        close: () => (closing ??= close("completed")),
      });
    } catch (error) {
      if (TroupeError.is(error)) return { ok: false, code: error.code, message: error.message };
      throw error;
    }
  }
}

const noServers: Ack = { ok: false, code: "no_such_server", message: "this session has no servers of tools" };

/** Said at the start: what was asked for and is not there must not come as a surprise. */
async function noSandbox(sandbox: CommandSandbox | undefined): Promise<string[]> {
  const problem = await sandbox?.problem();
  if (problem === undefined) return [];
  const instead = sandbox?.required ? "no command will be run" : "commands run without it, and are asked about";
  return [`there is no sandbox: ${problem}; ${instead}`];
}

const closedAck: Ack = {
  ok: false,
  code: "session_closed",
  message: "the session is closed: open it again with --resume",
};
