import { createIdFactory, systemClock } from "../../platform/index.ts";
import {
  isExternal,
  type Member,
  type RequestId,
  type SessionId,
  teamLead,
  teamUser,
  TroupeError,
} from "../../protocol/index.ts";
import { loadConfig, ownExecutable } from "../../session/index.ts";
import type { StoredTeam } from "../../store/index.ts";
import { type Backend, createTmuxBackend, externalMemberError, openMailbox } from "../../team/index.ts";
import { exitCodes } from "../exit-codes.ts";
import { awaitAnswerOrEnd, awaitEnd } from "./await-shutdown.ts";
import { openTeams } from "./open-teams.ts";
import { printJson, stdoutScreen, printWarnings } from "./command-output.ts";

/** How long one may take to answer where the settings say nothing, and to end once it is not asked any more. */
const defaultShutdownMs = 60_000;
const stopNowTimeoutMs = 15_000;

export interface StopFlags {
  readonly now?: boolean;
  readonly reason?: string;
  readonly json?: boolean;
}

/** Asks a member to end, and ends it when it gives no answer in time; or ends it without asking its model. */
export async function stop(name: string, memberName: string, flags: StopFlags): Promise<number> {
  return withTeam(name, async (context) => {
    const { stored } = context;
    const member = memberOf(stored, memberName);
    if (member.ended) return report(flags, member, `${memberName} has ended already`);
    if (await isNotRunning(stored, memberName)) {
      await releaseTasks(stored, memberName);
      await stored.record.end(memberName, { reason: "killed", detail: "ended from the shell; its process was gone" });
      return report(flags, memberOf(stored, memberName), `${memberName} was not running any more, and has ended now`);
    }
    const cause = { ...(flags.reason !== undefined && { reason: flags.reason }) };
    if (flags.now) return stopNow(member, { ...context, cause, flags, doneText: `${memberName} has ended` });
    const withinMs = await shutdownMs(context.cwd);
    const answer = await requestShutdown(member, { ...context, cause, withinMs });
    if (answer.kind === "ended") return report(flags, answer.member, `${memberName} has ended`);
    if (answer.kind === "rejected") {
      if (flags.json) printJson({ ...member, refused: answer.reason });
      printWarnings([`${memberName} does not want to end: ${answer.reason} ('--now' does not ask it)`]);
      return exitCodes.failed;
    }
    const timeoutText = `${memberName} gave no answer in ${Math.round(withinMs / 1000)} s`;
    return stopNow(member, {
      ...context,
      cause: { reason: timeoutText },
      flags,
      doneText: `${timeoutText}, and was ended`,
    });
  });
}

async function shutdownMs(cwd: string): Promise<number> {
  const { teams } = await loadConfig({ cwd, env: process.env });
  return teams.shutdownMs ?? defaultShutdownMs;
}

async function requestShutdown(
  { name: memberName }: Member,
  { stored, mailbox, createId, cause, withinMs }: TeamCommandContext & { cause: { reason?: string }; withinMs: number },
) {
  const requestId = createId<RequestId>("ask");
  await mailbox.send({ from: teamUser, to: memberName, body: { kind: "shutdown_request", requestId, ...cause } });
  return awaitAnswerOrEnd(memberName, { record: stored.record, mailbox, requestId, withinMs });
}

/** By its runtime, which asks no model; where that does not react, with its pane. */
async function stopNow(
  member: Member,
  { stored, mailbox, createId, cwd, home, cause, flags, doneText }: TeamCommandContext & StopContext,
): Promise<number> {
  const { name: memberName } = member;
  if (isExternal(member)) return removeExternal(member, { stored, cause, flags, doneText });
  await mailbox.send({ from: teamUser, to: memberName, body: { kind: "stop_request", keep: false, ...cause } });
  const ended = await awaitEnd(memberName, stored.record, AbortSignal.timeout(stopNowTimeoutMs));
  if (ended) return report(flags, ended, doneText);
  if (!member.pane)
    throw new TroupeError("team", `${memberName} has not ended yet: its process does not react: end that.`);
  const backend = await createPaneBackend({ cwd, home, sessionId: member.sessionId ?? createId("ses") });
  await (await backend.attach(member))?.kill();
  await backend.leave();
  await releaseTasks(stored, memberName);
  return report(
    flags,
    await stored.record.end(memberName, { reason: "killed" }),
    `${memberName} did not react, and was killed`,
  );
}

/** Before its end is put down: nobody looks for what one has in hand who has ended. */
const releaseTasks = ({ tasks }: StoredTeam, memberName: string) =>
  tasks.releaseGone(async ({ name }) => (name === memberName ? "its owner has ended" : undefined));

/** Its program is not ours to end: that is told by what it uses of the team next. */
async function removeExternal(
  { name: memberName }: Member,
  { stored, cause, flags, doneText }: Pick<TeamCommandContext, "stored"> & StopContext,
): Promise<number> {
  await releaseTasks(stored, memberName);
  await stored.record.free(memberName);
  const ended = await stored.record.end(memberName, {
    reason: "killed",
    ...(cause.reason !== undefined && { detail: cause.reason }),
  });
  return report(flags, ended, `${doneText}; another program runs it, which may go on by itself`);
}

interface StopContext {
  readonly cause: { readonly reason?: string };
  readonly flags: StopFlags;
  /** What is said when it has ended. */
  readonly doneText: string;
}

/** Brings a member back that has ended or is gone: by its lead if that is there, else in a pane of its own. */
export async function respawn(name: string, memberName: string, flags: { readonly json?: boolean }): Promise<number> {
  return withTeam(name, async ({ stored, mailbox, createId, cwd, home }) => {
    const member = memberOf(stored, memberName);
    if (!member.ended && !(await isNotRunning(stored, memberName)))
      throw new TroupeError("team", `${memberName} is there already.`);
    if (isExternal(member)) throw externalMemberError(memberName);
    const lead = await stored.presence.look(teamLead);
    if (lead?.alive === "alive" && lead.state !== "ended") {
      await mailbox.send({ from: teamUser, to: teamLead, body: { kind: "respawn_request", name: memberName } });
      return report(flags, member, `${memberName} is being brought back by the lead of ${name}`);
    }
    if (member.worker) {
      const { leadSessionId } = stored.record.current();
      const how = leadSessionId === undefined ? "" : `: troupe --resume ${leadSessionId}`;
      throw new TroupeError(
        "team",
        `${memberName} runs on workers, and its lead brings it back, which is not there${how}.`,
      );
    }
    let backend: Awaited<ReturnType<typeof createPaneBackend>> | undefined;
    try {
      backend = await createPaneBackend({ cwd, home, sessionId: member.sessionId ?? createId("ses") });
      await respawnInPane(stored, memberName, backend);
    } catch (error) {
      // Nobody would look for one that is not there and has not ended.
      const detail = `it could not be brought back: ${error instanceof Error ? error.message : String(error)}`;
      await releaseTasks(stored, memberName);
      await stored.record.end(memberName, { reason: "lost", detail });
      throw error;
    } finally {
      await backend?.leave();
    }
    return report(flags, memberOf(stored, memberName), `${memberName} is back, in a pane of its own`);
  });
}

async function respawnInPane({ record }: StoredTeam, memberName: string, backend: Backend): Promise<void> {
  const started = await backend.start(await record.change(memberName, { ended: null, backendType: "tmux" }));
  const { pane } = started;
  if (!pane) return;
  try {
    await record.change(memberName, { pane, tmuxPaneId: pane.paneId });
  } catch (error) {
    await started.kill();
    throw error;
  }
}

const createPaneBackend = ({ cwd, home, sessionId }: { cwd: string; home: string; sessionId: SessionId }) =>
  createTmuxBackend({
    env: { ...process.env, TROUPE_HOME: home },
    cwd,
    sessionId,
    placement: "own",
    program: ownExecutable(),
    clock: systemClock,
  });

interface TeamCommandContext {
  readonly stored: StoredTeam;
  readonly mailbox: ReturnType<typeof openMailbox>;
  readonly createId: ReturnType<typeof createIdFactory>;
  readonly cwd: string;
  readonly home: string;
}

async function withTeam(name: string, work: (context: TeamCommandContext) => Promise<number>): Promise<number> {
  const { teams, cwd, home } = await openTeams();
  const stored = await teams.open(name);
  const createId = createIdFactory(systemClock);
  const mailbox = openMailbox(stored, { clock: systemClock, createId });
  try {
    return await work({ stored, mailbox, createId, cwd, home });
  } finally {
    await mailbox.close();
    await stored.close();
  }
}

function memberOf(stored: StoredTeam, memberName: string): Member {
  const { members, leadSessionId } = stored.record.current();
  if (memberName === teamLead) {
    const session = leadSessionId === undefined ? "its session" : `its session, ${leadSessionId}`;
    throw new TroupeError("team", `the lead of ${stored.name} comes and goes with ${session}.`);
  }
  const found = members.find(({ name }) => name === memberName);
  if (found) return found;
  const names = members.flatMap(({ name }) => (name === teamLead ? [] : [name]));
  const hint = names.length === 0 ? "nobody but its lead is in it" : `there are: ${names.join(", ")}`;
  throw new TroupeError("team", `${stored.name} has no member ${JSON.stringify(memberName)}; ${hint}.`);
}

async function isNotRunning(stored: StoredTeam, memberName: string): Promise<boolean> {
  const presence = await stored.presence.look(memberName);
  return presence === undefined || presence.alive === "dead" || presence.state === "ended";
}

function report(flags: { readonly json?: boolean }, member: Member, text: string): number {
  if (flags.json) printJson(member);
  else stdoutScreen().line(text);
  return exitCodes.done;
}
