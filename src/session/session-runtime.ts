import { createLate, createProcessScope, type ProcessScope } from "../platform/index.ts";
import type { Envelope } from "../protocol/index.ts";
import type { Tool } from "../tool/index.ts";
import { dropTranscript, emptyView, reduce, type SessionView } from "../view/index.ts";
import { type AgentRuntime, createAgentRuntime, type SessionResources } from "./agent-runtime/agent-runtime.ts";
import { createEventHub, type EventHub } from "./event-hub.ts";
import { createPermissionBroker, type PermissionBroker } from "./permissions/permission-broker.ts";
import { addedDirectories } from "./config/added-directories.ts";
import type { PermissionAsker, SessionContext } from "./session-context.ts";
import { createSessionSubagents, type SessionSubagents } from "./subagents/subagents.ts";
import { warnOnOverlap } from "./subagents/warn-on-overlap.ts";
import type { TeamRole } from "./teams/team-role.ts";

/** The connected parts of a running session. */
export interface SessionRuntime {
  readonly context: SessionContext;
  /** The session's own agent: a lead or a teammate. */
  readonly own: AgentRuntime;
  readonly subagents: SessionSubagents;
  readonly team: TeamRole;
  readonly events: EventFeed;
  readonly broker: PermissionBroker;
  readonly ask: SessionResources["ask"];
  /** The processes of all agents. */
  readonly scope: ProcessScope;
  /** The tools of the session's own agent. */
  readonly tools: () => readonly Tool[];
}

export function createSessionRuntime(context: SessionContext): SessionRuntime {
  const { config, log, extensions, role, ports } = context;
  const { leadLog, sessionId } = log.opened;
  const events = createEventFeed(context);
  const scope = createProcessScope();
  const broker = createPermissionBroker();
  const ask = askerOf(ports.asker, broker);
  const shared: SessionResources = { session: context, scope, ask, publish: events.publish };
  // The agent's tools start agents and belong to teams, and both need the agent.
  const own = createLate<AgentRuntime>("the session's own agent");
  const ownTools = createLate<() => readonly Tool[]>("the tools of the session's own agent");
  const tools = () => ownTools.get()();
  const subagents = createSessionSubagents(shared, { runtime: own.get, tools });
  const team = role.connect({
    sessionId,
    agent: () => own.get().agent,
    runtime: own.get,
    shared,
    subagents,
    replayed: leadLog.replayed,
    tools,
  });
  const spawnTools = subagents.toolsOf(own.get, role.agent.path, team.starter);
  const pool = () => withTeamTools([...role.pool(extensions.tools()), ...spawnTools], team);
  ownTools.set(role.selectTools(pool, team));
  const runtime = createAgentRuntime(shared, {
    ...role.agent,
    model: context.models.own,
    rules: extensions.rules,
    roots: [role.agent.cwd, ...addedDirectories(config)],
    tools,
    log: leadLog,
    ready: async (signal) => {
      await role.ready(signal);
      await team.ready?.(signal);
    },
    openHooks: role.openHooks,
    ongoingWork: team.ongoingWork,
    subagents: () => subagents.subagentsOf(leadLog.agent),
  });
  own.set(runtime);
  events.observe(
    warnOnOverlap({
      lead: () => runtime.agent,
      agentOf: (id) => (id === leadLog.agent ? runtime.agent : subagents.agentOf(id)),
    }),
  );
  const { checkpoints } = ports;
  if (checkpoints) events.observe((envelope) => checkpoints.observe(envelope));
  events.observe((envelope) => {
    if (envelope.agent === leadLog.agent) team.observe(envelope);
  });
  return { context, own: runtime, subagents, team, events, broker, ask, scope, tools };
}

/** Receives the events of all agents: keeps the view, and passes them to subscribers and observers. */
interface EventFeed extends Pick<EventHub, "subscribe" | "close"> {
  readonly view: SessionView;
  publish(envelope: Envelope): void;
  observe(observer: (envelope: Envelope) => void): void;
}

function createEventFeed({ log, budget, ports }: SessionContext): EventFeed {
  const { leadLog } = log.opened;
  const stored = [...leadLog.replayed, ...log.earlierAgents];
  if (!budget.isCounted) for (const { event } of stored) budget.ledger.recall(event);
  const fold = (before: SessionView, envelope: Envelope): SessionView => {
    const isKept = ports.keep === "all" || (ports.keep === "lead" && envelope.agent === leadLog.agent);
    const after = reduce(before, envelope);
    return isKept ? after : dropTranscript(after, envelope.agent);
  };
  const hub = createEventHub(log.readAll);
  const observers: ((envelope: Envelope) => void)[] = [];
  let view = stored.reduce(fold, emptyView);
  return {
    get view() {
      return view;
    },
    publish(envelope) {
      view = fold(view, envelope);
      hub.publish(envelope);
      ports.telemetry?.observe(envelope);
      for (const observer of observers) observer(envelope);
    },
    observe: (observer) => void observers.push(observer),
    subscribe: hub.subscribe,
    close: hub.close,
  };
}

/** A team tool replaces a tool of the same name. */
function withTeamTools(tools: readonly Tool[], team: TeamRole): readonly Tool[] {
  const names = new Set(team.tools.map(({ name }) => name));
  return [...tools.filter(({ name }) => !names.has(name)).map(team.adaptTool), ...team.tools];
}

function askerOf(asker: PermissionAsker, broker: PermissionBroker): SessionResources["ask"] {
  if (asker === "nobody") return () => undefined;
  return asker === "reply" ? broker.ask : asker;
}
