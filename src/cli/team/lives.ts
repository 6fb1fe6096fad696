import { idMaker, systemClock } from "../../platform/index.ts";
import {
  isOutside,
  type Member,
  type RequestId,
  type SessionId,
  teamLead,
  teamUser,
  TroupeError,
} from "../../protocol/index.ts";
import { loadConfig, ownProgram } from "../../session/index.ts";
import type { StoredTeam } from "../../store/index.ts";
import { type Backend, createTmuxBackend, notOursToStart, teamMailbox } from "../../team/index.ts";
import { exitCodes } from "../exit-codes.ts";
import { answerOrEnd, untilEnded } from "./until-ended.ts";
import { openTeams } from "./open-teams.ts";
import { printJson, terminal, warn } from "./output.ts";

/** How long one may take to answer where the settings say nothing, and to end once it is not asked any more. */
const defaultShutdownMs = 60_000;
const endsNowWithinMs = 15_000;

export interface StopFlags {
  readonly now?: boolean;
  readonly reason?: string;
  readonly json?: boolean;
}

/** Asks a member to end, and ends it when it gives no answer in time; or ends it without asking its model. */
export async function stop(name: string, who: string, flags: StopFlags): Promise<number> {
  return withTeam(name, async (place) => {
    const { stored } = place;
    const member = memberOf(stored, who);
    if (member.ended) return report(flags, member, `${who} has ended already`);
    if (await isGone(stored, who)) {
      await giveBack(stored, who);
      await stored.record.end(who, { reason: "killed", detail: "ended from the shell; its process was gone" });
      return report(flags, memberOf(stored, who), `${who} was not running any more, and has ended now`);
    }
    const why = { ...(flags.reason !== undefined && { reason: flags.reason }) };
    if (flags.now) return endNow(member, { ...place, why, flags, words: `${who} has ended` });
    const withinMs = await shutdownMs(place.cwd);
    const answer = await askToEnd(member, { ...place, why, withinMs });
    if (answer.kind === "ended") return report(flags, answer.member, `${who} has ended`);
    if (answer.kind === "rejected") {
      if (flags.json) printJson({ ...member, refused: answer.reason });
      warn([`${who} does not want to end: ${answer.reason} ('--now' does not ask it)`]);
      return exitCodes.failed;
    }
    const silent = `${who} gave no answer in ${Math.round(withinMs / 1000)} s`;
    return endNow(member, { ...place, why: { reason: silent }, flags, words: `${silent}, and was ended` });
  });
}

async function shutdownMs(cwd: string): Promise<number> {
  const { teams } = await loadConfig({ cwd, env: process.env });
  return teams.shutdownMs ?? defaultShutdownMs;
}

async function askToEnd(
  { name: who }: Member,
  { stored, mailbox, createId, why, withinMs }: Place & { why: { reason?: string }; withinMs: number },
) {
  const requestId = createId<RequestId>("ask");
  await mailbox.send({ from: teamUser, to: who, body: { kind: "shutdown_request", requestId, ...why } });
  return answerOrEnd(who, { record: stored.record, mailbox, requestId, withinMs });
}

/** By its runtime, which asks no model; where that does not react, with its pane. */
async function endNow(
  member: Member,
  { stored, mailbox, createId, cwd, home, why, flags, words }: Place & Ending,
): Promise<number> {
  const { name: who } = member;
  if (isOutside(member)) return takeOut(member, { stored, why, flags, words });
  await mailbox.send({ from: teamUser, to: who, body: { kind: "stop_request", keep: false, ...why } });
  const ended = await untilEnded(who, stored.record, AbortSignal.timeout(endsNowWithinMs));
  if (ended) return report(flags, ended, words);
  if (!member.pane) throw new TroupeError("team", `${who} has not ended yet: its process does not react: end that.`);
  const backend = await panes({ cwd, home, sessionId: member.sessionId ?? createId("ses") });
  await (await backend.attach(member))?.kill();
  await backend.leave();
  await giveBack(stored, who);
  return report(flags, await stored.record.end(who, { reason: "killed" }), `${who} did not react, and was killed`);
}

/** Before its end is put down: nobody looks for what one has in hand who has ended. */
const giveBack = ({ tasks }: StoredTeam, who: string) =>
  tasks.releaseGone(async ({ name }) => (name === who ? "its owner has ended" : undefined));

/** Its program is not ours to end: that is told by what it uses of the team next. */
async function takeOut(
  { name: who }: Member,
  { stored, why, flags, words }: Pick<Place, "stored"> & Ending,
): Promise<number> {
  await giveBack(stored, who);
  await stored.record.free(who);
  const ended = await stored.record.end(who, {
    reason: "killed",
    ...(why.reason !== undefined && { detail: why.reason }),
  });
  return report(flags, ended, `${words}; another program runs it, which may go on by itself`);
}

interface Ending {
  readonly why: { readonly reason?: string };
  readonly flags: StopFlags;
  /** What is said when it has ended. */
  readonly words: string;
}

/** Brings a member back that has ended or is gone: by its lead if that is there, else in a pane of its own. */
export async function respawn(name: string, who: string, flags: { readonly json?: boolean }): Promise<number> {
  return withTeam(name, async ({ stored, mailbox, createId, cwd, home }) => {
    const member = memberOf(stored, who);
    if (!member.ended && !(await isGone(stored, who))) throw new TroupeError("team", `${who} is there already.`);
    if (isOutside(member)) throw notOursToStart(who);
    const lead = await stored.presence.look(teamLead);
    if (lead?.alive === "alive" && lead.state !== "ended") {
      await mailbox.send({ from: teamUser, to: teamLead, body: { kind: "respawn_request", name: who } });
      return report(flags, member, `${who} is being brought back by the lead of ${name}`);
    }
    if (member.worker) {
      const { leadSessionId } = stored.record.current();
      const how = leadSessionId === undefined ? "" : `: troupe --resume ${leadSessionId}`;
      throw new TroupeError("team", `${who} runs on workers, and its lead brings it back, which is not there${how}.`);
    }
    let backend: Awaited<ReturnType<typeof panes>> | undefined;
    try {
      backend = await panes({ cwd, home, sessionId: member.sessionId ?? createId("ses") });
      await bringBack(stored, who, backend);
    } catch (error) {
      // Nobody would look for one that is not there and has not ended.
      const detail = `it could not be brought back: ${error instanceof Error ? error.message : String(error)}`;
      await giveBack(stored, who);
      await stored.record.end(who, { reason: "lost", detail });
      throw error;
    } finally {
      await backend?.leave();
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
  const { members, leadSessionId } = stored.record.current();
  if (who === teamLead) {
    const session = leadSessionId === undefined ? "its session" : `its session, ${leadSessionId}`;
    throw new TroupeError("team", `the lead of ${stored.name} comes and goes with ${session}.`);
  }
  const found = members.find(({ name }) => name === who);
  if (found) return found;
  const names = members.flatMap(({ name }) => (name === teamLead ? [] : [name]));
  const others = names.length === 0 ? "nobody but its lead is in it" : `there are: ${names.join(", ")}`;
  throw new TroupeError("team", `${stored.name} has no member ${JSON.stringify(who)}; ${others}.`);
}

async function isGone(stored: StoredTeam, who: string): Promise<boolean> {
  const presence = await stored.presence.look(who);
  return presence === undefined || presence.alive === "dead" || presence.state === "ended";
}

function report(flags: { readonly json?: boolean }, member: Member, text: string): number {
  if (flags.json) printJson(member);
  else terminal().line(text);
  return exitCodes.done;
}
