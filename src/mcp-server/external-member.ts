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
import { adoptReservedTasks, type Mailbox, type MemberEnd, type ReceivedMail, openMailbox } from "../team/index.ts";

/** A team member that an external program's agent acts for. */
export interface ExternalMember {
  readonly name: string;
  readonly id: AgentId;
  readonly team: StoredTeam;
  readonly mailbox: Mailbox;
  readonly processes: ReturnType<typeof createProcessScope>;
  readonly mailHandover: MailHandover;
  /** Its working directory. */
  readonly cwd: string;
  working(): Promise<void>;
  idle(): Promise<void>;
  /** Ends the membership. `rest` only suspends it: it stays in the team and can come back. */
  leave(end: MemberEnd, detail?: string): Promise<void>;
  /** True if it left or was removed from the team. */
  hasLeft(): boolean;
}

/** Mail for a conversation that Troupe cannot see. The next call of the client shows that the mail arrived. */
export interface MailHandover {
  /**
   * Returns all unread mail. The next call of `acknowledge` marks it as read. Returns undefined, and nothing to
   * acknowledge, if the signal has aborted.
   */
  takeUnread(signal: AbortSignal): Promise<readonly ReceivedMail[] | undefined>;
  acknowledge(): Promise<void>;
  /** Resolves when there is unread mail. Rejects when the signal aborts. */
  waitForUnread(signal: AbortSignal): Promise<void>;
  /** Open shutdown requests, and the member that receives the answer. */
  readonly shutdowns: Map<RequestId, string>;
}

export interface ExternalMemberOptions {
  readonly name: string;
  /** A short description for the other members. */
  readonly about?: string | undefined;
  readonly cwd: string;
  readonly clock: Clock;
  readonly createId: CreateId;
}

/**
 * Acts for a member that Troupe runs: sends mail and works on tasks in its name. Troupe keeps its inbox and presence.
 */
export async function joinAsVoice(team: StoredTeam, options: ExternalMemberOptions): Promise<ExternalMember> {
  const { name, cwd, clock, createId } = options;
  const member = (await team.record.read()).members.find((each) => each.name === name);
  if (!member || member.ended)
    throw new TroupeError("team", `cannot act for ${name}: the team ${team.name} has no running member of that name.`);
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
 * Joins the team, or comes back under an earlier name and finds the mail for it. If a running member has the name, a
 * number is added. The key that signs its mail stays in this process and the team's folder.
 */
export async function joinAsExternal(team: StoredTeam, options: ExternalMemberOptions): Promise<ExternalMember> {
  const { clock, createId } = options;
  const { member, presence } = (await rejoin(team, options)) ?? (await join(team, options));
  await adoptReservedTasks(member, team);
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
    idle: () => presence.set("idle", "waiting for mail"),
    leave: (end, detail) => (leaving ??= leave(end, detail)),
    hasLeft: () => leaving !== undefined || hasEnded(team, member.name),
  };
}

/** True if it was removed from the team. */
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
    // Another connection already acts for it.
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
      // Check in the same tick as the return: a client that disconnected would acknowledge mail it never received with
      // its next call.
      if (signal.aborted) return undefined;
      for (const id of ids) unacknowledged.add(id);
      // The answer to a user's request also goes to the lead, which reads the mail for both.
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
