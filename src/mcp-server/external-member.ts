import { createProcessScope, type Clock, type CreateId } from "../platform/index.ts";
import {
  type AgentId,
  isExternal,
  type MailId,
  type Member,
  type RequestId,
  teamLead,
  TroupeError,
} from "../protocol/index.ts";
import type { OwnPresence, StoredTeam } from "../store/index.ts";
import { type Mailbox, type MemberEnd, type ReceivedMail, openMailbox } from "../team/index.ts";

/** A member of a team that another program's agent speaks for. */
export interface ExternalMember {
  readonly name: string;
  readonly id: AgentId;
  readonly team: StoredTeam;
  readonly mailbox: Mailbox;
  readonly processes: ReturnType<typeof createProcessScope>;
  readonly mailHandover: MailHandover;
  /** Where it works. */
  readonly cwd: string;
  working(): Promise<void>;
  idle(): Promise<void>;
  /** It has agreed to end, or is no longer there. `rest` leaves it in the team, to come back. */
  leave(end: MemberEnd, detail?: string): Promise<void>;
  /** It has, or was taken out of the team. */
  hasLeft(): boolean;
}

/** Mail on its way into a conversation that Troupe does not see: it has arrived when whoever was given it calls again. */
export interface MailHandover {
  /**
   * All that is unread. What is handed out is acknowledged by the next call of `acknowledge`; undefined, and nothing is,
   * once the signal has aborted.
   */
  takeUnread(signal: AbortSignal): Promise<readonly ReceivedMail[] | undefined>;
  acknowledge(): Promise<void>;
  /** Resolves when something is unread. Rejects when the signal aborts. */
  waitForUnread(signal: AbortSignal): Promise<void>;
  /** Requests to end that wait for an answer, and to whom that goes. */
  readonly shutdowns: Map<RequestId, string>;
}

export interface ExternalMemberOptions {
  readonly name: string;
  /** In a few words, for the others. */
  readonly about?: string | undefined;
  readonly cwd: string;
  readonly clock: Clock;
  readonly createId: CreateId;
}

/**
 * The voice of a member that Troupe itself runs: it sends and works on tasks in that one's name, and leaves its inbox and its
 * presence to who runs it.
 */
export async function joinAsVoice(team: StoredTeam, options: ExternalMemberOptions): Promise<ExternalMember> {
  const { name, cwd, clock, createId } = options;
  const member = (await team.record.read()).members.find((each) => each.name === name);
  if (!member || member.ended)
    throw new TroupeError("team", `There is no ${name} in the team ${team.name} to speak for.`);
  const mailbox = openMailbox(team, { clock, createId });
  const processes = createProcessScope();
  return {
    name,
    id: createId<AgentId>("agt"),
    team,
    mailbox,
    processes,
    mailHandover: createMailHandover(mailbox, name),
    cwd,
    working: async () => undefined,
    idle: async () => undefined,
    leave: async () => {
      await mailbox.close();
      await processes.close();
    },
    hasLeft: () => false,
  };
}

/**
 * Joins, or comes back under the name that it had: its mail has waited for it. A name that somebody at work has gets a
 * number. The key that signs what it sends stays in this process and the team's folder.
 */
export async function joinAsExternal(team: StoredTeam, options: ExternalMemberOptions): Promise<ExternalMember> {
  const { clock, createId } = options;
  const { member, presence } = (await rejoin(team, options)) ?? (await join(team, options));
  const mailbox = openMailbox(team, { clock, createId });
  const processes = createProcessScope();
  let leaving: Promise<void> | undefined;

  const leave = async (end: MemberEnd, detail?: string) => {
    if (end !== "rest") {
      await team.tasks.releaseGone(async ({ name }) => (name === member.name ? "its owner has ended" : undefined));
      await team.record.free(member.name);
      await team.record.end(member.name, { reason: end, ...(detail !== undefined && { detail }) });
    }
    await presence.set("ended", detail ?? "its program is gone; it can come back under this name");
    await presence.close();
    await mailbox.close();
    await processes.close();
  };

  return {
    name: member.name,
    id: createId<AgentId>("agt"),
    team,
    mailbox,
    processes,
    mailHandover: createMailHandover(mailbox, member.name),
    cwd: options.cwd,
    working: () => presence.set("working"),
    idle: () => presence.set("idle", "waits for mail"),
    leave: (end, detail) => (leaving ??= leave(end, detail)),
    hasLeft: () => leaving !== undefined || hasEnded(team, member.name),
  };
}

/** Somebody has taken it out of the team. */
const hasEnded = ({ record }: StoredTeam, name: string): boolean =>
  record.current().members.some((member) => member.name === name && member.ended !== undefined);

interface Joined {
  readonly member: Member;
  readonly presence: OwnPresence;
}

async function rejoin(team: StoredTeam, { name, cwd, about }: ExternalMemberOptions): Promise<Joined | undefined> {
  const known = team.record.current().members.find((member) => member.name === name);
  if (known === undefined || !isExternal(known)) return undefined;
  try {
    const presence = await team.presence.announce(name, "working", about);
    return { member: await team.record.change(name, { ended: null, cwd }), presence };
  } catch (error) {
    // Somebody speaks for it already.
    if (TroupeError.is(error) && error.code === "team") return undefined;
    throw error;
  }
}

async function join(team: StoredTeam, { name, cwd, about }: ExternalMemberOptions): Promise<Joined> {
  const { member } = await team.record.join({ name, cwd, backendType: "remote", agentType: "outside" });
  return { member, presence: await team.presence.announce(member.name, "working", about) };
}

function createMailHandover(mailbox: Mailbox, name: string): MailHandover {
  const unacknowledged = new Set<MailId>();
  const shutdowns = new Map<RequestId, string>();
  return {
    shutdowns,
    async takeUnread(signal) {
      const unread = await mailbox.readUnread(name);
      const ids = unread.map(({ id }) => id);
      await mailbox.markDelivered(name, ids);
      // In the same step as it is handed out: whoever has hung up until now would acknowledge unheard mail with its next call.
      if (signal.aborted) return undefined;
      for (const id of ids) unacknowledged.add(id);
      // Also what the user has asked is answered to the lead: nobody else reads mail for both.
      for (const { body, refused } of unread)
        if (body.kind === "shutdown_request" && refused === undefined) shutdowns.set(body.requestId, teamLead);
      return unread;
    },
    async acknowledge() {
      if (unacknowledged.size === 0) return;
      const ids = [...unacknowledged];
      await mailbox.markRead(name, ids);
      for (const id of ids) unacknowledged.delete(id);
    },
    async waitForUnread(signal) {
      await mailbox.waitForMessage(name, signal);
    },
  };
}
