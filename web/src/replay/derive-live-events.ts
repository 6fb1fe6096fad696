import { type Envelope, type Event, type SessionId, teamLead, type WorkItem } from "../../../src/protocol/index.ts";

type Of<T extends Event["type"]> = Extract<Event, { type: T }>;
type MemberChanged = Of<"member.changed">;

/**
 * Derives the live events about members and tasks, which no log contains, from the stored events. A member works when
 * its turns begin, is idle after `agent.idle`, and so on; a task follows its changes. `last` gives the current state,
 * for facts that never change. Returns a function that gives the live events after each stored envelope; call it in
 * order.
 */
export function deriveLiveEvents(
  session: SessionId,
  stored: readonly Envelope[],
  last: readonly Envelope[],
): (envelope: Envelope) => readonly Envelope[] {
  const lead = stored.find((envelope) => envelope.session === session)?.agent;
  const now = lastKnown(last);
  const members = new Map<SessionId, MemberChanged>();
  const tasks = new Map<string, WorkItem>();
  const nameIn = (envelope: Envelope) => members.get(envelope.session)?.name ?? teamLead;

  const memberNow = (envelope: Envelope): MemberChanged | undefined => {
    const { event, at, session: from } = envelope;
    if (event.type === "member.joined" && from === session) {
      const { type: _, ...facts } = event;
      const known = now.members.get(`${event.team}/${event.name}`);
      const { ended: _ended, detail: _detail, unread: _unread, ...kept } = known ?? {};
      return {
        ...kept,
        ...facts,
        type: "member.changed",
        role: "teammate",
        state: "starting",
        since: at,
        alive: "alive",
      };
    }
    const member = members.get(from);
    const known = member && now.members.get(`${member.team}/${member.name}`);
    const change = member && from !== session ? changeOf(event, known) : undefined;
    if (!member || !change || (change.state === member.state && change.ended === member.ended)) return undefined;
    const { ended: _, detail: _detail, ...rest } = member;
    return { ...rest, ...change, since: at };
  };
  const taskNow = (envelope: Envelope): Of<"task.changed"> | undefined => {
    const { event, at } = envelope;
    if (event.type !== "task.created" && event.type !== "task.claimed" && event.type !== "task.updated")
      return undefined;
    const key = `${event.team ?? ""}/${event.taskId}`;
    const known = now.tasks.get(key);
    const before = tasks.get(key) ?? newTask(event, { at, by: nameIn(envelope), known });
    const task = withChange(before, event, { by: nameIn(envelope), known, at });
    tasks.set(key, task);
    return { type: "task.changed", ...(event.team !== undefined && { team: event.team }), task };
  };

  return (envelope) => {
    if (lead === undefined) return [];
    const member = memberNow(envelope);
    if (member?.sessionId) members.set(member.sessionId, member);
    const task = taskNow(envelope);
    return [member, task].flatMap((event) => (event ? [{ ...envelope, session, agent: lead, event }] : []));
  };
}

type Change = Pick<MemberChanged, "state" | "ended" | "alive">;

/** The change that an event of the member causes; undefined: no change. */
function changeOf(event: Event, known: MemberChanged | undefined): Change | undefined {
  switch (event.type) {
    case "session.opened":
      return { state: "starting", alive: "alive" };
    case "turn.started":
    case "permission.settled":
      return { state: "working", alive: "alive" };
    case "permission.asked":
      return { state: "waiting", alive: "alive" };
    case "agent.idle":
      return { state: "idle", alive: "alive" };
    case "session.closed":
    case "team.left":
      return { state: "ended", ended: known?.ended ?? "shutdown", alive: "dead" };
    case "agent.stopped":
      return { state: "ended", ended: event.outcome === "failed" ? "failed" : "shutdown", alive: "dead" };
    default:
      return undefined;
  }
}

interface LastKnown {
  readonly members: ReadonlyMap<string, MemberChanged>;
  readonly tasks: ReadonlyMap<string, WorkItem>;
}

function lastKnown(last: readonly Envelope[]): LastKnown {
  const members = new Map<string, MemberChanged>();
  const tasks = new Map<string, WorkItem>();
  for (const { event } of last) {
    if (event.type === "member.changed") members.set(`${event.team}/${event.name}`, event);
    if (event.type === "task.changed") tasks.set(`${event.team ?? ""}/${event.task.id}`, event.task);
  }
  return { members, tasks };
}

type TaskEvent = Of<"task.created"> | Of<"task.claimed"> | Of<"task.updated">;

interface Context {
  readonly at: string;
  readonly by: string;
  readonly known: WorkItem | undefined;
}

function newTask(event: TaskEvent, { at, by, known }: Context): WorkItem {
  const { owner: _, proof: _proof, proofDetail: _detail, ...kept }: typeof emptyTask = known ?? emptyTask;
  const subject = "subject" in event ? event.subject : kept.subject;
  return {
    ...kept,
    id: event.taskId,
    subject,
    status: "pending",
    generation: 0,
    createdBy: by,
    createdAt: at,
    updatedAt: at,
  };
}

const emptyTask: Omit<WorkItem, "id" | "status" | "generation" | "createdBy" | "createdAt" | "updatedAt"> = {
  subject: "",
  description: "",
  blocks: [],
  blockedBy: [],
  needs: [],
  acceptance: [],
  metadata: {},
};

function withChange(task: WorkItem, event: TaskEvent, { at, by, known }: Context): WorkItem {
  switch (event.type) {
    case "task.created":
      return { ...task, subject: event.subject, updatedAt: at };
    case "task.claimed":
      return { ...task, owner: by, status: "in_progress", generation: task.generation + 1, updatedAt: at };
    case "task.updated": {
      const { status = task.status, owner = task.owner } = event;
      const { proof: _, proofDetail: _detail, ...rest } = task;
      const isDone = status === "completed" && known?.status === "completed";
      return {
        ...rest,
        status,
        ...(owner !== undefined && { owner }),
        ...(isDone && known.proof && { proof: known.proof }),
        ...(isDone && known.proofDetail !== undefined && { proofDetail: known.proofDetail }),
        updatedAt: at,
      };
    }
  }
}
