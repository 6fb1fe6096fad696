import { existsSync } from "node:fs";
import { basename } from "node:path";
import { scratchpadText, teammateConduct } from "../../agent/index.ts";
import { closeAll, createIdFactory, systemClock } from "../../platform/index.ts";
import {
  type AgentId,
  type AgentPath,
  type AllowedPath,
  type Envelope,
  type Member,
  messageOf,
  type SessionId,
  teamLead,
  teamUser,
  TroupeError,
} from "../../protocol/index.ts";
import { createGateRegistry } from "../../model/index.ts";
import { openTeamStore, type StoredTeam, type TeamStore } from "../../store/index.ts";
import {
  createWorktree,
  finishWorktree,
  portsForExternalWorktree,
  releasePorts,
  type MemberEnd,
  withDiskFullRetry,
  resumeWorktree,
  openMailbox,
} from "../../team/index.ts";
import { parseRule } from "../../tool/index.ts";
import { localizeMember, type RemoteHost, tapEvents, mapPathToClone, limitAnswerToHost } from "./remote-host.ts";
import { openSharedLedger } from "./open-shared-ledger.ts";
import { openSharedLimits } from "./open-shared-limits.ts";
import { type ConfigFlags, loadConfig } from "../config/load-config.ts";
import { createMemberRole } from "./member-role.ts";
import { wasStartedBefore } from "./missing-transcript.ts";
import { recreatedWorktreeText } from "./teammate-worktree.ts";
import { createNoticeRecorder, storageNoticeKind } from "./record-notice.ts";
import type { Session } from "../session.ts";
import type { ProcessShared } from "./process-shared.ts";
import { startSession } from "../start-session.ts";
import { runWorktreeRemoveHooks } from "./worktree-remove-hooks.ts";

export interface TeammateOptions {
  readonly team: string;
  readonly name: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Lets other processes follow the session. The default is true. */
  readonly isObservable?: boolean | undefined;
  /** Receives all events of its session. */
  readonly onEnvelope?: ((envelope: Envelope) => void) | undefined;
  /** The lead's shared resources, if it runs in the same process. */
  readonly shared?: ProcessShared | undefined;
  /** An open team store to reuse. */
  readonly teams?: TeamStore | undefined;
  /** Set if the teammate runs on another machine than its lead: the values of that machine. */
  readonly remoteHost?: RemoteHost | undefined;
}

/** A running teammate, in this or another process. */
export interface RunningTeammate {
  readonly member: Member;
  readonly session: Session;
  /** Resolves when everything is closed, with the failure if there was one. */
  readonly ended: Promise<string | undefined>;
  stop(end: MemberEnd, detail?: string): Promise<void>;
}

/** Starts or resumes a teammate from its entry in the team record. All backends use this function. */
export async function runTeammate(options: TeammateOptions): Promise<RunningTeammate> {
  const clock = systemClock;
  const createId = createIdFactory(clock);
  const { home, bus, claudeFolder } = await loadConfig({ cwd: options.cwd, env: options.env });
  let reportNotice: (message: string) => void = () => undefined;
  const onNotice = (text: string) => reportNotice(text);
  const store = options.teams ?? openTeamStore({ home, bus, claudeFolder, clock, createId, onNotice });
  const team = await store.open(options.team);
  const mailbox = openMailbox(team, { clock, createId });
  /** Objects to close if the start fails. */
  const opened: { close(): Promise<void> }[] = [];
  try {
    return await start();
  } catch (error) {
    for (const each of opened) await each.close();
    await mailbox.close();
    await team.close();
    throw error;
  }

  async function start(): Promise<RunningTeammate> {
    const { remoteHost } = options;
    const member = localizeMember(memberOf(team, options.name), remoteHost);
    const earlierPresence = await team.presence.look(member.name);
    const presence = await team.presence.announce(member.name, "starting");
    // The team's files are shared within the process, so closing them would not end the heartbeat.
    opened.push(presence);
    const worktree = await openWorktree(member);
    const { trusted, ledger, places, scratchpad, ...launched } = member.launch ?? {};
    const flags: ConfigFlags = remoteHost?.flags ?? launched;
    const sharedLedger =
      options.shared || ledger === undefined
        ? undefined
        : openSharedLedger(ledger, {
            budget: launched,
            sessionId: member.sessionId ?? member.agentId,
            clock,
            createId,
          });
    if (sharedLedger) opened.push(sharedLedger);
    const budgetLedger = remoteHost?.ledger ?? sharedLedger?.ledger;
    const ownLimits =
      options.shared || places === undefined ? undefined : openSharedLimits(places, { clock, createId });
    if (ownLimits) opened.push(ownLimits);
    const path = `${member.name}@${team.name}` as AgentPath;
    const sessionId = member.sessionId ?? createId<SessionId>("ses");
    const { teams } = await loadConfig({ cwd: member.cwd, env: options.env, flags });
    let stopping: Promise<void> | undefined;
    let resolveEnded: (failure: string | undefined) => void = () => undefined;
    const ended = new Promise<string | undefined>((resolve) => {
      resolveEnded = resolve;
    });
    const stopWaiting = new AbortController();
    /** A second call stops waiting for a full disk. The team completes what is left. */
    const stop = (end: MemberEnd, detail?: string) => {
      if (stopping) stopWaiting.abort(new DOMException("stop was requested again", "AbortError"));
      return (stopping ??= finish(end, detail));
    };
    const onEnd = (end: MemberEnd, detail: string | undefined) => {
      stop(end, detail).catch(() => undefined); // `ended` reports it
    };
    presence.lost.addEventListener("abort", () => onEnd("rest", undefined));
    const memberRole = createMemberRole({
      team,
      mailbox,
      member,
      presence,
      settings: teams,
      clock,
      createId,
      onEnd,
      publishesTasks: options.shared === undefined,
      // A remote machine may have no log of previous runs.
      wasStartedBefore: !remoteHost && wasStartedBefore(earlierPresence),
      remoteHost,
    });
    const otherMembers = team.record.current().members.filter(({ name, ended: over }) => name !== member.name && !over);

    const finish = async (end: MemberEnd, detail?: string) => {
      let failure: string | undefined;
      try {
        const session = await starting;
        await session.close(end === "rest" ? "interrupted" : "completed");
        // Another process runs the teammate now and reports its state.
        if (presence.lost.aborted) return;
        if (end !== "rest") await leave(end, detail);
        else await presence.set("ended", "suspended until its team is resumed");
      } catch (error) {
        failure = messageOf(error);
        throw error;
      } finally {
        await closeAllParts().finally(() => resolveEnded(failure));
      }
    };

    const closeAllParts = () =>
      closeAll([() => sharedLedger?.close(), () => ownLimits?.close(), presence.close, mailbox.close, team.close]);

    const leave = async (end: Exclude<MemberEnd, "rest">, detail?: string) => {
      const { tasks, record } = withDiskFullRetry(team, { clock, signal: stopWaiting.signal });
      await tasks.releaseGone(async (owner) => (owner.name === member.name ? "its owner has ended" : undefined));
      if (worktree) await worktree.finish();
      await presence.set("ended", detail ?? end);
      await record.end(member.name, { reason: end, ...(detail !== undefined && { detail }) });
    };

    const starting = startSession({
      cwd: member.cwd,
      env: options.env,
      flags: {
        ...flags,
        model: remoteHost?.flags.model ?? member.model,
        permissionMode: member.planModeRequired ? "plan" : member.mode,
      },
      sessionId,
      asker: remoteHost ? limitAnswerToHost(memberRole.asker, remoteHost) : memberRole.asker,
      // In the lead's process the lead's session shows the transcript. On another machine no frontend needs it.
      keep: options.shared || remoteHost ? "none" : "lead",
      isObservable: options.isObservable,
      trust: trusted ? "all" : undefined,
      shared:
        options.shared ??
        (budgetLedger && {
          gates: createGateRegistry(clock),
          models: new Map(),
          ledger: budgetLedger,
          counted: new Set(remoteHost && [sessionId]),
        }),
      spawnLimits: (options.shared?.limits ?? ownLimits)?.forSession({ sessionId, member: path }),
      member: {
        team: team.name,
        name: member.name,
        leadSession: team.record.current().leadSessionId,
        path,
        folder: worktree?.path ?? remoteHost?.folder,
        isMoved: worktree?.isMoved ?? remoteHost !== undefined,
        agentType: member.agentType ?? "general-purpose",
        scratchpad,
        conduct: [
          teammateConduct({
            team: team.name,
            name: member.name,
            lead: teamLead,
            members: otherMembers.filter(({ name }) => name !== teamLead),
            planModeRequired: member.planModeRequired,
          }),
          ...(scratchpad === undefined ? [] : [scratchpadText(scratchpad)]),
          ...(remoteHost ? [remoteHost.conduct] : []),
        ].join("\n\n"),
        env: worktree?.env ?? {},
        mode: member.mode ?? "default",
        modeNow: () => {
          const { mode = "default" } = team.record.current().members.find(({ name }) => name === member.name) ?? {};
          return remoteHost?.capMode(mode) ?? mode;
        },
        teamRules: () =>
          team.record
            .current()
            .teamAllowedPaths.flatMap((path) => mapPathToClone(path, remoteHost))
            .map(allowPathRule),
        askHost: memberRole.askHost,
      },
      team: (ports) => {
        reportNotice = createNoticeRecorder(ports, storageNoticeKind(bus));
        return (remoteHost ? tapEvents(memberRole.connect, remoteHost) : memberRole.connect)(ports);
      },
    });
    const session = await starting;
    if (options.onEnvelope) void follow(session, options.onEnvelope);
    return { member, session, ended, stop };
  }

  /** Opens the teammate's worktree as it was. Creates a new one if it was removed because it had no changes. */
  async function openWorktree(member: Member) {
    const { worktreePath } = member;
    if (worktreePath === undefined) return undefined;
    const config = await loadConfig({ cwd: member.cwd, env: options.env });
    const place = { home, userHome: config.userHome, cwd: member.cwd, env: config.childEnv, clock, createId };
    const name = basename(worktreePath);
    const finish = (own: string) => async () => {
      const { outcome } = await finishWorktree(place, { name: own });
      if (outcome !== "removed") return;
      const removed = { path: worktreePath, name: own, branch: member.worktreeBranch };
      const hookProblems = await runWorktreeRemoveHooks([removed], { config, clock });
      for (const text of hookProblems) await mailbox.send({ from: member.name, to: teamLead, text, wakes: false });
    };
    const resumed = await resumeWorktree(place, name, { adopt: true });
    if (resumed) return { ...resumed, isMoved: false, finish: finish(name) };
    if (existsSync(worktreePath)) {
      const ports = await portsForExternalWorktree(place, { path: worktreePath, settings: config.worktree });
      return {
        path: worktreePath,
        isMoved: false,
        env: { TROUPE_WORKTREE: worktreePath, ...ports },
        finish: () => releasePorts(place, worktreePath),
      };
    }
    const made = await createWorktree(place, { agentId: createId<AgentId>("agt"), settings: config.worktree });
    await team.record.change(member.name, { worktreePath: made.path, worktreeBranch: made.branch });
    const text = recreatedWorktreeText({ path: worktreePath, branch: member.worktreeBranch }, made);
    await mailbox.send({ from: member.name, to: teamLead, text, wakes: false });
    await mailbox.send({ from: teamUser, to: member.name, text, wakes: false });
    return { ...made, isMoved: true, finish: finish(made.name) };
  }
}

async function follow(session: Session, onEnvelope: (envelope: Envelope) => void): Promise<void> {
  for await (const envelope of session.events()) onEnvelope(envelope);
}

/** Escapes the path, so that the rule matches exactly this path. */
const allowPathRule = ({ path, tool }: AllowedPath) =>
  parseRule(`${tool}(/${path.replaceAll(/[*?[{\\]/g, String.raw`\$&`)})`);

function memberOf(team: StoredTeam, name: string): Member {
  const member = team.record.current().members.find((each) => each.name === name && name !== teamLead);
  if (!member) throw new TroupeError("team", `${team.name} has no member ${JSON.stringify(name)}.`);
  if (member.ended)
    throw new TroupeError("team", `cannot start ${name}: it has ended (${member.ended.reason}). Respawn it first.`);
  return member;
}
