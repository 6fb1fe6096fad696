import { scratchpadText, type WorktreeFacts } from "../../agent/index.ts";
import { closeAll } from "../../platform/index.ts";
import {
  type AgentPath,
  type AllowedPath,
  type Envelope,
  type Member,
  messageOf,
  type SessionId,
  teamLead,
  TroupeError,
} from "../../protocol/index.ts";
import { createGateRegistry } from "../../model/index.ts";
import type { StoredTeam, TeamStore } from "../../store/index.ts";
import { type MemberEnd, withDiskFullRetry, openMailbox } from "../../team/index.ts";
import { parseRule } from "../../tool/index.ts";
import { localizeMember, type RemoteHost, tapEvents, mapPathToClone, limitAnswerToHost } from "./remote-host.ts";
import { openSharedLedger } from "./open-shared-ledger.ts";
import { openSharedLimits } from "./open-shared-limits.ts";
import type { ConfigFlags } from "../config/load-config.ts";
import { createMemberRole } from "./member-role.ts";
import { wasStartedBefore } from "./missing-transcript.ts";
import { memberWorktrees, openTeammateWorktree } from "./teammate-worktree.ts";
import { createNoticeRecorder, storageNoticeKind } from "./record-notice.ts";
import type { Session } from "../session.ts";
import type { MemberPrompt } from "../member-context.ts";
import type { ProcessShared } from "./process-shared.ts";
import { type SessionHost, systemHost } from "../session-host.ts";
import { startSession } from "../start-session.ts";

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
  /** The machine that the teammate runs on. The default is this one. */
  readonly host?: SessionHost | undefined;
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
  const host = options.host ?? systemHost();
  const { clock, createId, loadConfig } = host;
  const { home, bus, claudeFolder } = await loadConfig({ cwd: options.cwd, env: options.env });
  let reportNotice: (message: string) => void = () => undefined;
  const onNotice = (text: string) => reportNotice(text);
  const store = options.teams ?? host.openTeamStore({ home, bus, claudeFolder, clock, createId, onNotice });
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
    const worktree = await openTeammateWorktree(member, { env: options.env, host, mailbox });
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
    const ownLimits = options.shared || !places ? undefined : openSharedLimits(places, { clock, createId });
    if (ownLimits) opened.push(ownLimits);
    const path = `${member.name}@${team.name}` as AgentPath;
    const sessionId = member.sessionId ?? createId<SessionId>("ses");
    const config = await loadConfig({ cwd: member.cwd, env: options.env, flags });
    let stopping: Promise<void> | undefined;
    const { promise: ended, resolve: resolveEnded } = createDeferred<string | undefined>();
    const stopWaiting = new AbortController();
    /** A second call stops waiting for a full disk. The team completes what is left. */
    const stop = (end: MemberEnd, detail?: string) => {
      if (stopping) stopWaiting.abort(new DOMException("stop was requested again", "AbortError"));
      return (stopping ??= finish(end, detail));
    };
    // `ended` reports a failure.
    const onEnd = (end: MemberEnd, detail: string | undefined) => void stop(end, detail).catch(() => undefined);
    presence.lost.addEventListener("abort", () => onEnd("rest", undefined));
    const memberRole = createMemberRole({
      team,
      mailbox,
      member,
      presence,
      settings: config.teams,
      clock,
      createId,
      onEnd,
      publishesTasks: options.shared === undefined,
      // A remote machine may have no log of previous runs.
      wasStartedBefore: !remoteHost && wasStartedBefore(earlierPresence),
      worktree,
      leftBy: memberWorktrees({ config, clock, createId }).leftBy,
      remoteHost,
    });

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
      host,
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
        agentType: member.agentType ?? "general-purpose",
        scratchpad,
        prompt: memberPrompt(member, { team, worktree: worktree?.facts }, [
          ...(scratchpad === undefined ? [] : [scratchpadText(scratchpad)]),
          ...(remoteHost ? [remoteHost.conduct] : []),
        ]),
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
}

function createDeferred<T>() {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

async function follow(session: Session, onEnvelope: (envelope: Envelope) => void): Promise<void> {
  for await (const envelope of session.events()) onEnvelope(envelope);
}

function memberPrompt(
  { name }: Member,
  { team, worktree }: { readonly team: StoredTeam; readonly worktree: WorktreeFacts | undefined },
  blocks: readonly string[],
): MemberPrompt {
  const others = team.record
    .current()
    .members.filter((other) => other.name !== name && other.name !== teamLead && !other.ended);
  return { team: { team: team.name, name, lead: teamLead, members: others }, blocks, worktree };
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
