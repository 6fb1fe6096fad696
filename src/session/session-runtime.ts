import { createLate, createProcessScope, type ProcessScope } from "../platform/index.ts";
import type { Envelope } from "../protocol/index.ts";
import type { Tool } from "../tool/index.ts";
import { dropTranscript, emptyView, reduce, type SessionView } from "../view/index.ts";
import { type AgentRuntime, createAgentRuntime, type SessionResources } from "./agent-runtime/agent-runtime.ts";
import { createEventHub, type EventHub } from "./event-hub.ts";
import { createPermissionBroker, type PermissionBroker } from "./permissions/permission-broker.ts";
import { addedDirectories } from "./config/added-directories.ts";
import type { PermissionAsker, SessionContext } from "./session-context.ts";
import { createSessionName, type SessionName } from "./session-name.ts";
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
  readonly name: SessionName;
}

export function createSessionRuntime(context: SessionContext): SessionRuntime {
  const { config, log, extensions, role, ports } = context;
  const { leadLog, sessionId } = log.opened;
  const events = createEventFeed(context);
  const scope = createProcessScope();
  const broker = createPermissionBroker();
  const ask = askerOf(ports.asker, broker);
  const shared: SessionResources = { session: context, scope, ask, publish: events.publish };
  // The agent comes first. Its tools start agents and belong to teams, and both need the agent.
  const others = createLate<Others>("the subagents and teams of the session");
  const tools = () => others.get().tools();
  const own = createAgentRuntime(shared, {
    ...role.agent,
    rights: {
      ...role.agent.rights,
      rules: extensions.rules,
      roots: [role.agent.cwd, ...addedDirectories(config)],
    },
    model: context.models.own,
    tools,
    log: leadLog,
    openHooks: role.openHooks,
    connections: {
      ready: async (signal) => {
        await role.ready(signal);
        await others.get().team.ready?.(signal);
      },
      ongoingWork: () => others.get().team.ongoingWork(),
      subagents: () => others.get().subagents.subagentsOf(leadLog.agent),
    },
  });
  const { agent } = own;
  const subagents = createSessionSubagents(shared, { runtime: own, tools });
  const team = role.connect({ sessionId, agent, runtime: own, shared, subagents, replayed: leadLog.replayed, tools });
  const spawnTools = subagents.toolsOf(own, role.agent.path, team.starter);
  const pool = () => withTeamTools([...role.pool(extensions.tools()), ...spawnTools], team);
  others.set({ subagents, team, tools: role.selectTools(pool, team) });
  events.observe(
    warnOnOverlap({ lead: agent, agentOf: (id) => (id === leadLog.agent ? agent : subagents.agentOf(id)) }),
  );
  const { checkpoints } = ports;
  if (checkpoints) events.observe((envelope) => checkpoints.observe(envelope));
  events.observe((envelope) => {
    if (envelope.agent === leadLog.agent) team.observe(envelope);
  });
  const name = createSessionName(leadLog.replayed, own.agent.record);
  return { context, own, subagents, team, events, broker, ask, scope, tools, name };
}

/** The agents that the session's own agent works with, and its tools. */
type Others = Pick<SessionRuntime, "subagents" | "team" | "tools">;

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
