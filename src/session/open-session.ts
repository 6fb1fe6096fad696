import { join } from "node:path";
import { type Agent, createAgent, createConversation, createLedger, createPermissions } from "../agent/index.ts";
import { createProcessScope, safeName, version } from "../platform/index.ts";
import { type Ack, type Envelope, leadPath, TroupeError } from "../protocol/index.ts";
import { createFileTracker } from "../tool/index.ts";
import { emptyView, leadOf, reduce } from "../view/index.ts";
import { dispatch } from "./dispatch.ts";
import { createHub } from "./hub.ts";
import { createPermissionBroker } from "./permission-broker.ts";
import { createPolicy } from "./policy.ts";
import type { Session } from "./session.ts";
import { createSessionBackground } from "./session-background.ts";
import type { SessionParts } from "./session-parts.ts";

/** Brings a session to life from its log, new or old, and hands out the one object that everybody drives it with. */
export async function openSession(parts: SessionParts): Promise<Session> {
  const { opened, clock, createId } = parts;
  const log = opened.leadLog;
  const resumed = log.replayed.length > 0;
  const conversation = createConversation();
  const ledger = createLedger(parts.maxBudgetUsd);
  for (const { event } of log.replayed) {
    conversation.apply(event);
    if (event.type === "cost.recorded") ledger.add(event.costUsd);
  }
  let view = log.replayed.reduce(reduce, emptyView);
  let model = parts.model;
  let cwd = conversation.cwd ?? parts.cwd;
  let closing: Promise<void> | undefined;

  const hub = createHub(parts.readStored);
  const publish = (envelope: Envelope) => {
    view = reduce(view, envelope);
    hub.publish(envelope);
  };
  const scope = createProcessScope();
  const broker = createPermissionBroker();
  const policy = createPolicy({ ...parts, currentCwd: () => cwd, ownFolders: () => opened.ownFolders() });
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
    record: (event) => lead.record(event),
    clock,
  });

  const background = createSessionBackground({ agent: () => lead, opened, clock, createId });
  const lead: Agent = createAgent({
    ...parts,
    session: opened.sessionId,
    agent: { id: log.agent, path: leadPath, type: "lead" },
    model: () => model,
    conversation,
    ledger,
    sink: log,
    seq: log.replayed.at(-1)?.seq ?? 0,
    publish,
    hooks: hooks?.agent,
    permissions: createPermissions({
      decide: policy.decide,
      remember: policy.remember,
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
      files,
      background: background.tasks,
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

  const close = async (reason: "completed" | "interrupted" | "failed") => {
    await lead.interrupt();
    await background.stopAll();
    await hooks?.ended(reason);
    await scope.close();
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
  for (const message of [...opened.notices, ...parts.notices]) {
    await lead.record({ type: "notice.raised", level: "warning", code: "start", message });
  }
  await lead.closeOpenCalls();
  const system = parts.system(conversation.system);
  if (system !== conversation.system) await lead.record({ type: "context.composed", system: [...system] });
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

  async function attempt(command: Parameters<Session["dispatch"]>[0]): Promise<Ack> {
    try {
      return await dispatch(command, {
        lead,
        hooks,
        broker,
        background: background.tasks,
        setModel,
        setMode: async (permissionMode) => {
          await lead.record({ type: "agent.changed", permissionMode });
          policy.setMode(permissionMode);
        },
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

const closedAck: Ack = {
  ok: false,
  code: "session_closed",
  message: "the session is closed: open it again with --resume",
};
