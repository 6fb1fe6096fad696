import { type AgentId, type Envelope, type Event, isTeamEvent, type LiveEvent } from "../../protocol/index.ts";
import { type AgentView, newAgent } from "./agent-view.ts";
import { append, type ChunkedList, itemAt, replaceAt, toArray } from "../lists/chunked-list.ts";
import { keepOpenCalls } from "../transcript/forget-transcript.ts";
import { abandonTurn, reduceAgent } from "./reduce-agent.ts";
import type { BackgroundView, SessionView } from "./session-view.ts";
import { appendTail } from "../activity/output-tail.ts";
import { withMember, withoutTeam, withTask } from "./team-view.ts";

/**
 * The one fold: a view and the next envelope give the next view. Pure; returns the same object if nothing visible
 * changed. Envelopes of one agent must come in order. Stored envelopes that were seen before are ignored, so that a
 * replay may overlap with live events.
 */
export function reduce(view: SessionView, envelope: Envelope): SessionView {
  const live = isLive(envelope.event);
  const index = view.agentIndex.get(envelope.agent);
  const before = index === undefined ? undefined : itemAt(view.agents, index);
  if (!live && before && envelope.seq <= before.seq) return view;

  const seen = reduceSession(view, envelope);
  const known = index === undefined ? undefined : itemAt(seen.agents, index);
  if (!known) return live ? seen : addAgent(seen, stamped(reduceAgent(firstSeen(envelope), envelope), envelope));
  const after = keepOpenCalls(reduceAgent(known, envelope));
  if (live && after === known) return seen;
  return { ...seen, agents: replaceAt(seen.agents, index ?? 0, live ? after : stamped(after, envelope)) };
}

export function reduceAll(view: SessionView, envelopes: Iterable<Envelope>): SessionView {
  let next = view;
  for (const envelope of envelopes) next = reduce(next, envelope);
  return next;
}

/** Applies the effects of an event beyond its own agent. */
function reduceSession(view: SessionView, envelope: Envelope): SessionView {
  const { event, agent, at } = envelope;
  if (isTeamEvent(event)) return view;
  switch (event.type) {
    case "session.opened": {
      if (isMemberOnly(view, envelope)) return view;
      const { sessionId, version, cwd, coordinator: isCoordinator = false } = event;
      const before = event.resumed ? withAbandonedTurns(view, at) : view;
      return { ...before, sessionId, version, cwd, isCoordinator, state: { kind: "open" } };
    }
    case "session.closed":
      if (isMemberOnly(view, envelope)) return view;
      return { ...withAbandonedTurns(view, at), state: { kind: "closed", reason: event.reason } };
    case "permission.asked": {
      // A member asks its lead, and the lead asks here, so there is only one question.
      if (isMemberOnly(view, envelope)) return view;
      const { type: _, ...question } = event;
      return { ...view, questions: [...view.questions, { ...question, agent, at }] };
    }
    case "permission.settled":
      return withQuestions(view, (question) => question.requestId !== event.requestId);
    case "agent.idle":
    case "agent.stopped":
      return withQuestions(view, (question) => question.agent !== agent || question.member !== undefined);
    case "member.changed":
      return { ...view, teams: withMember(view.teams, event) };
    case "team.joined": {
      if (isMemberOnly(view, envelope)) return view;
      const { type: _, ...membership } = event;
      return { ...view, memberships: new Map(view.memberships).set(event.team, membership) };
    }
    case "team.left":
      if (isMemberOnly(view, envelope)) return view;
      return {
        ...view,
        teams: withoutTeam(view.teams, event.team),
        memberships: withoutTeam(view.memberships, event.team),
      };
    case "task.changed":
      return { ...view, tasks: withTask(view.tasks, event) };
    case "background.started": {
      const { type: _, agent: runs, ...task } = event;
      return {
        ...view,
        background: append<BackgroundView>(withoutOldTail(view.background), {
          ...newBackground,
          ...task,
          agent,
          runs,
          startedAt: at,
        }),
        runningBackground: new Map(view.runningBackground).set(event.backgroundId, view.background.length),
      };
    }
    case "background.output":
      return withBackground(view, event.backgroundId, (task) => ({
        ...task,
        outputTail: appendTail(task.outputTail, event.text),
      }));
    case "background.ended": {
      const { status, exitCode } = event;
      const ended = withBackground(view, event.backgroundId, (task) => ({ ...task, status, exitCode, endedAt: at }));
      if (ended === view) return view;
      const runningBackground = new Map(view.runningBackground);
      runningBackground.delete(event.backgroundId);
      return { ...ended, runningBackground };
    }
    case "mcp.changed": {
      const { type: _, ...server } = event;
      return { ...view, mcpServers: [...view.mcpServers.filter(({ server: name }) => name !== event.server), server] };
    }
    case "notice.raised": {
      const { type: _, ...notice } = event;
      return { ...view, notices: append(view.notices, { ...notice, agent, at }) };
    }
    case "agent.rewound":
    case "agent.spawned":
    case "agent.changed":
    case "agent.summarized":
    case "context.composed":
    case "context.inherited":
    case "context.compacted":
    case "prompt.admitted":
    case "prompt.promoted":
    case "turn.started":
    case "turn.ended":
    case "turn.failed":
    case "turn.waiting":
    case "turn.retried":
    case "cost.recorded":
    case "tool.called":
    case "tool.settled":
    case "tool.drafted":
    case "tool.progress":
    case "text.delta":
    case "thinking.delta":
    case "command.settled":
    case "hook.ran":
    case "session.named":
      return view;
  }
}

/** True for the session of a team member, which is shown beside its lead's. */
const isMemberOnly = (view: SessionView, { session }: Envelope): boolean =>
  view.sessionId !== undefined && view.sessionId !== session;

/** The process has ended: its questions are closed and everything it ran has stopped. */
function withAbandonedTurns(view: SessionView, at: string): SessionView {
  let { agents, background } = view;
  for (const [index, agent] of toArray(agents).entries()) agents = replaceAt(agents, index, abandonTurn(agent));
  for (const index of view.runningBackground.values()) {
    const task = itemAt(background, index);
    if (task) background = replaceAt(background, index, { ...task, status: "lost", endedAt: at });
  }
  const [questions, mcpServers] = [none(view.questions), none(view.mcpServers)];
  return { ...view, agents, background, runningBackground: new Map(), questions, mcpServers };
}

function withQuestions(view: SessionView, stays: (question: SessionView["questions"][number]) => boolean): SessionView {
  const questions = view.questions.filter(stays);
  return questions.length === view.questions.length ? view : { ...view, questions };
}

function withBackground(
  view: SessionView,
  id: BackgroundView["backgroundId"],
  change: (task: BackgroundView) => BackgroundView,
): SessionView {
  const index = view.runningBackground.get(id);
  const task = index === undefined ? undefined : itemAt(view.background, index);
  if (index === undefined || !task) return view;
  return { ...view, background: replaceAt(view.background, index, change(task)) };
}

/** Number of ended background jobs whose output tail is kept. Their files contain all output. */
const tailsKept = 50;

function withoutOldTail(background: ChunkedList<BackgroundView>): ChunkedList<BackgroundView> {
  const index = background.length - tailsKept;
  const task = index < 0 ? undefined : itemAt(background, index);
  if (!task || task.status === "running" || task.outputTail === "") return background;
  return replaceAt(background, index, { ...task, outputTail: "" });
}

const newBackground = { status: "running", exitCode: null, endedAt: undefined, outputTail: "" } as const;

const none = <T>(list: readonly T[]): readonly T[] => (list.length === 0 ? list : []);

function addAgent(view: SessionView, agent: AgentView): SessionView {
  const agentIndex = new Map<AgentId, number>(view.agentIndex).set(agent.id, view.agents.length);
  return { ...view, agents: append(view.agents, agent), agentIndex };
}

const firstSeen = ({ agent, event, at, session }: Envelope): AgentView =>
  newAgent(agent, { type: event.type, at, session });

const stamped = (agent: AgentView, { seq, at }: Envelope): AgentView => ({ ...agent, seq, updatedAt: at });

const liveTypes: Readonly<Record<LiveEvent["type"], true>> = {
  "text.delta": true,
  "thinking.delta": true,
  "tool.drafted": true,
  "tool.progress": true,
  "turn.waiting": true,
  "turn.retried": true,
  "background.output": true,
  "mcp.changed": true,
  "member.changed": true,
  "task.changed": true,
  "command.settled": true,
};

export const isLive = (event: Event): event is LiveEvent => Object.hasOwn(liveTypes, event.type);
