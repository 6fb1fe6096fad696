import { idMaker, systemClock } from "../../platform/index.ts";
import { type Member, type RequestId, type SessionId, teamLead, teamUser, TroupeError } from "../../protocol/index.ts";
import { ownProgram } from "../../session/index.ts";
import type { StoredTeam } from "../../store/index.ts";
import { type Backend, createTmuxBackend, teamMailbox } from "../../team/index.ts";
import { exitCodes } from "../exit-codes.ts";
import { openTeams } from "./open-teams.ts";
import { printJson, terminal } from "./output.ts";

/** How long a member may take to end before this gives up waiting; its lead goes on looking after it. */
const endsWithinMs = 90_000;
const endsNowWithinMs = 15_000;

export interface StopFlags {
  readonly now?: boolean;
  readonly reason?: string;
  readonly json?: boolean;
}

/** Asks a member to end, or ends it without asking its model. */
export async function stop(name: string, who: string, flags: StopFlags): Promise<number> {
  return withTeam(name, async ({ stored, mailbox, createId, cwd, home }) => {
    const member = memberOf(stored, who);
    if (member.ended) return report(flags, member, `${who} has ended already`);
    if (await isGone(stored, who)) {
      await stored.record.end(who, { reason: "killed", detail: "ended from the shell; its process was gone" });
      await stored.tasks.releaseGone(async (owner) => (owner.name === who ? "its owner has ended" : undefined));
      return report(flags, memberOf(stored, who), `${who} was not running any more, and has ended now`);
    }
    const { reason } = flags;
    const why = { ...(reason !== undefined && { reason }) };
    const requestId = createId<RequestId>("ask");
    const body = flags.now
      ? ({ kind: "stop_request", keep: false, ...why } as const)
      : ({ kind: "shutdown_request", requestId, ...why } as const);
    await mailbox.send({ from: teamUser, to: who, body });
    const ended = await untilEnded(stored, who, flags.now ? endsNowWithinMs : endsWithinMs);
    if (ended) return report(flags, ended, `${who} has ended`);
    if (flags.now && member.pane) {
      const backend = await panes({ cwd, home, sessionId: member.sessionId ?? createId("ses") });
      await (await backend.attach(member))?.kill();
      await stored.tasks.releaseGone(async (owner) => (owner.name === who ? "its owner was ended" : undefined));
      return report(flags, await stored.record.end(who, { reason: "killed" }), `${who} did not react, and was killed`);
    }
    throw new TroupeError("team", `${who} has not ended yet: it may have refused; '--now' does not ask it.`);
  });
}

/** Brings a member back that has ended or is gone: by its lead if that is there, else in a pane of its own. */
export async function respawn(name: string, who: string, flags: { readonly json?: boolean }): Promise<number> {
  return withTeam(name, async ({ stored, mailbox, createId, cwd, home }) => {
    const member = memberOf(stored, who);
    if (!member.ended && !(await isGone(stored, who))) throw new TroupeError("team", `${who} is there already.`);
    const lead = await stored.presence.look(teamLead);
    if (lead?.alive === "alive" && lead.state !== "ended") {
      await mailbox.send({ from: teamUser, to: teamLead, body: { kind: "respawn_request", name: who } });
      return report(flags, member, `${who} is being brought back by the lead of ${name}`);
    }
    const backend = await panes({ cwd, home, sessionId: member.sessionId ?? createId("ses") });
    try {
      await bringBack(stored, who, backend);
    } catch (error) {
      // Nobody would look for one that is not there and has not ended.
      const detail = `it could not be brought back: ${error instanceof Error ? error.message : String(error)}`;
      await stored.record.end(who, { reason: "lost", detail });
      throw error;
    }
    return report(flags, memberOf(stored, who), `${who} is back, in a pane of its own`);
  });
}

async function bringBack({ record }: StoredTeam, who: string, backend: Backend): Promise<void> {
  const started = await backend.start(await record.change(who, { ended: null, backendType: "tmux" }));
  const { pane } = started;
  if (!pane) return;
  try {
    await record.change(who, { pane, tmuxPaneId: pane.paneId });
  } catch (error) {
    await started.kill();
    throw error;
  }
}

const panes = ({ cwd, home, sessionId }: { cwd: string; home: string; sessionId: SessionId }) =>
  createTmuxBackend({
    env: { ...process.env, TROUPE_HOME: home },
    cwd,
    sessionId,
    placement: "own",
    program: ownProgram(),
    clock: systemClock,
  });

interface Place {
  readonly stored: StoredTeam;
  readonly mailbox: ReturnType<typeof teamMailbox>;
  readonly createId: ReturnType<typeof idMaker>;
  readonly cwd: string;
  readonly home: string;
}

async function withTeam(name: string, work: (place: Place) => Promise<number>): Promise<number> {
  const { teams, cwd, home } = await openTeams();
  const stored = await teams.open(name);
  const createId = idMaker(systemClock);
  const mailbox = teamMailbox(stored, { clock: systemClock, createId });
  try {
    return await work({ stored, mailbox, createId, cwd, home });
  } finally {
    await mailbox.close();
    await stored.close();
  }
}

function memberOf(stored: StoredTeam, who: string): Member {
  const { members } = stored.record.current();
  const found = members.find(({ name }) => name === who && who !== teamLead);
  if (found) return found;
  const names = members.flatMap(({ name }) => (name === teamLead ? [] : [name]));
  throw new TroupeError("team", `${stored.name} has no member ${JSON.stringify(who)}; there are: ${names.join(", ")}.`);
}

async function isGone(stored: StoredTeam, who: string): Promise<boolean> {
  const presence = await stored.presence.look(who);
  return presence === undefined || presence.alive === "dead" || presence.state === "ended";
}

async function untilEnded(stored: StoredTeam, who: string, ms: number): Promise<Member | undefined> {
  const late = AbortSignal.timeout(ms);
  const now = memberOf(stored, who);
  if (now.ended) return now;
  for await (const { members } of stored.record.follow(late)) {
    const found = members.find(({ name }) => name === who);
    if (found?.ended) return found;
  }
  const last = memberOf(stored, who);
  return last.ended ? last : undefined;
}

function report(flags: { readonly json?: boolean }, member: Member, text: string): number {
  if (flags.json) printJson(member);
  else terminal().line(text);
  return exitCodes.done;
}
