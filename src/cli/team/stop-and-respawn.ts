import { createIdFactory, systemClock, withTimeLimit } from "../../platform/index.ts";
import {
  isExternal,
  type Member,
  messageOf,
  type RequestId,
  type SessionId,
  teamLead,
  teamUser,
  TroupeError,
} from "../../protocol/index.ts";
import { loadConfig, ownExecutable, type StoreOptions, storeVariables } from "../../session/index.ts";
import type { StoredTeam } from "../../store/index.ts";
import { type Backend, createTmuxBackend, externalMemberError, openMailbox } from "../../team/index.ts";
import { exitCodes } from "../exit-codes.ts";
import { awaitAnswerOrEnd, awaitEnd } from "./await-shutdown.ts";
import { openTeams } from "./open-teams.ts";
import { printJson, stdoutScreen, printWarnings } from "./command-output.ts";

/**
 * Default time for a member to answer a shutdown request. `stopNowTimeoutMs` is the time to stop without being asked.
 */
const defaultShutdownMs = 60_000;
const stopNowTimeoutMs = 15_000;

export interface StopFlags extends StoreOptions {
  readonly now?: boolean;
  readonly reason?: string;
  readonly json?: boolean;
}

/**
 * Asks a member to shut down, and stops it if it does not answer in time. With `now`, stops it without asking its
 * model.
 */
export async function stop(name: string, memberName: string, flags: StopFlags): Promise<number> {
  return withTeam(name, flags, async (context) => {
    const { stored } = context;
    const member = memberOf(stored, memberName);
    if (member.ended) return report(flags, member, `${memberName} has already ended`);
    if (await isNotRunning(stored, memberName)) {
      await releaseTasks(stored, memberName);
      await stored.record.end(memberName, { reason: "killed", detail: "stopped from the shell; its process was gone" });
      return report(flags, memberOf(stored, memberName), `${memberName} was not running and is now marked as ended`);
    }
    const cause = { ...(flags.reason !== undefined && { reason: flags.reason }) };
    if (flags.now) return stopNow(member, { ...context, cause, flags, doneText: `${memberName} has ended` });
    const withinMs = await shutdownMs(context.cwd);
    const answer = await requestShutdown(member, { ...context, cause, withinMs });
    if (answer.kind === "ended") return report(flags, answer.member, `${memberName} has ended`);
    if (answer.kind === "rejected") {
      if (flags.json) printJson({ ...member, refused: answer.reason });
      printWarnings([`${memberName} refused to shut down: ${answer.reason}. Use --now to stop it without asking.`]);
      return exitCodes.failed;
    }
    const timeoutText = `${memberName} did not answer within ${Math.round(withinMs / 1000)} s`;
    return stopNow(member, {
      ...context,
      cause: { reason: timeoutText },
      flags,
      doneText: `${timeoutText} and was stopped`,
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

/** Stops a member through its runtime, without asking a model. If the runtime does not react, kills its pane. */
async function stopNow(
  member: Member,
  { stored, mailbox, createId, cwd, env, cause, flags, doneText }: TeamCommandContext & StopContext,
): Promise<number> {
  const { name: memberName } = member;
  if (isExternal(member)) return removeExternal(member, { stored, cause, flags, doneText });
  await mailbox.send({ from: teamUser, to: memberName, body: { kind: "stop_request", keep: false, ...cause } });
  const ended = await withTimeLimit(systemClock, stopNowTimeoutMs, (late) => awaitEnd(memberName, stored.record, late));
  if (ended) return report(flags, ended, doneText);
  if (!member.pane)
    throw new TroupeError("team", `cannot stop ${memberName}: its process does not react. Kill the process.`);
  const backend = await createPaneBackend({ cwd, env, sessionId: member.sessionId ?? createId("ses") });
  await (await backend.attach(member))?.kill();
  await backend.leave();
  await releaseTasks(stored, memberName);
  return report(
    flags,
    await stored.record.end(memberName, { reason: "killed" }),
    `${memberName} did not react and was killed`,
  );
}

/** Call before recording that the member ended: tasks of ended members are not released later. */
const releaseTasks = ({ tasks }: StoredTeam, memberName: string) =>
  tasks.releaseGone(async ({ name }) => (name === memberName ? "its owner has ended" : undefined));

/**
 * Ends the membership of an external program. Troupe cannot stop the program; it learns of this at its next use of the
 * team.
 */
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
  return report(flags, ended, `${doneText}; an external program runs it and may continue`);
}

interface StopContext {
  readonly cause: { readonly reason?: string };
  readonly flags: StopFlags;
  /** The message that is printed when it has ended. */
  readonly doneText: string;
}

/**
 * Respawns a member that has ended or whose process is gone: through its lead if the lead runs, otherwise in a new
 * pane.
 */
export async function respawn(
  name: string,
  memberName: string,
  flags: StoreOptions & { readonly json?: boolean },
): Promise<number> {
  return withTeam(name, flags, async ({ stored, mailbox, createId, cwd, env }) => {
    const member = memberOf(stored, memberName);
    if (!member.ended && !(await isNotRunning(stored, memberName)))
      throw new TroupeError("team", `cannot respawn ${memberName}: it is already running.`);
    if (isExternal(member)) throw externalMemberError(memberName);
    const lead = await stored.presence.look(teamLead);
    if (lead?.alive === "alive" && lead.state !== "ended") {
      await mailbox.send({ from: teamUser, to: teamLead, body: { kind: "respawn_request", name: memberName } });
      return report(flags, member, `the lead of ${name} is respawning ${memberName}`);
    }
    if (member.worker) {
      const { leadSessionId } = stored.record.current();
      const how = leadSessionId === undefined ? "" : `: run 'troupe --resume ${leadSessionId}'`;
      throw new TroupeError(
        "team",
        `cannot respawn ${memberName}: it runs on a worker, and only its lead can respawn it. Start the lead first${how}.`,
      );
    }
    let backend: Awaited<ReturnType<typeof createPaneBackend>> | undefined;
    try {
      backend = await createPaneBackend({ cwd, env, sessionId: member.sessionId ?? createId("ses") });
      await respawnInPane(stored, memberName, backend);
    } catch (error) {
      // Record the end, because a member that neither runs nor has ended would go unnoticed.
      const detail = `respawn failed: ${messageOf(error)}`;
      await releaseTasks(stored, memberName);
      await stored.record.end(memberName, { reason: "lost", detail });
      throw error;
    } finally {
      await backend?.leave();
    }
    return report(flags, memberOf(stored, memberName), `${memberName} is running again, in its own pane`);
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

const createPaneBackend = (place: { cwd: string; env: PaneEnvironment; sessionId: SessionId }) =>
  createTmuxBackend({
    ...place,
    placement: "own",
    program: ownExecutable(),
    clock: systemClock,
  });

interface TeamCommandContext {
  readonly stored: StoredTeam;
  readonly mailbox: ReturnType<typeof openMailbox>;
  readonly createId: ReturnType<typeof createIdFactory>;
  readonly cwd: string;
  /** The environment of a pane. */
  readonly env: PaneEnvironment;
}

type PaneEnvironment = Readonly<Record<string, string | undefined>>;

async function withTeam(
  name: string,
  flags: StoreOptions,
  work: (context: TeamCommandContext) => Promise<number>,
): Promise<number> {
  const { teams, cwd, home } = await openTeams(flags);
  const stored = await teams.open(name);
  const createId = createIdFactory(systemClock);
  const mailbox = openMailbox(stored, { clock: systemClock, createId });
  try {
    const env = { ...process.env, ...storeVariables(flags), TROUPE_HOME: home };
    return await work({ stored, mailbox, createId, cwd, env });
  } finally {
    await mailbox.close();
    await stored.close();
  }
}

function memberOf(stored: StoredTeam, memberName: string): Member {
  const { members, leadSessionId } = stored.record.current();
  if (memberName === teamLead) {
    const session = leadSessionId === undefined ? "its session" : `its session, ${leadSessionId}`;
    throw new TroupeError(
      "team",
      `cannot stop or respawn the lead of ${stored.name}: it starts and ends with ${session}.`,
    );
  }
  const found = members.find(({ name }) => name === memberName);
  if (found) return found;
  const names = members.flatMap(({ name }) => (name === teamLead ? [] : [name]));
  const hint = names.length === 0 ? "it has no members except its lead" : `members: ${names.join(", ")}`;
  throw new TroupeError("team", `${stored.name} has no member ${JSON.stringify(memberName)}; ${hint}.`);
}

async function isNotRunning(stored: StoredTeam, memberName: string): Promise<boolean> {
  const presence = await stored.presence.look(memberName);
  return presence === undefined || presence.alive === "dead" || presence.state === "ended";
}

function report(flags: StoreOptions & { readonly json?: boolean }, member: Member, text: string): number {
  if (flags.json) printJson(member);
  else stdoutScreen().line(text);
  return exitCodes.done;
}
