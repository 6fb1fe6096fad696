import { createLedger, type WorktreeFacts } from "../../agent/index.ts";
import { type Cleanup, createCleanup, createLate, type Late } from "../../platform/index.ts";
import {
  type AgentPath,
  type AllowedPath,
  type Envelope,
  type Member,
  messageOf,
  type SessionId,
  type SessionOptions,
  teamLead,
  TroupeError,
} from "../../protocol/index.ts";
import { createGateRegistry } from "../../model/index.ts";
import type { OwnPresence, StoredTeam, TeamStore } from "../../store/index.ts";
import {
  type AgentSlots,
  type Mailbox,
  type MemberEnd,
  withDiskFullRetry,
  openMailbox,
  noteLeftBranch,
} from "../../team/index.ts";
import { parseRule } from "../../tool/index.ts";
import { localizeMember, type RemoteHost, tapEvents, mapPathToClone, limitAnswerToHost } from "./remote-host.ts";
import { openSharedLedger } from "./open-shared-ledger.ts";
import { openSharedLimits } from "./open-shared-limits.ts";
import type { Config } from "../config/load-config.ts";
import type { StoreOptions } from "../config/store-variables.ts";
import { createMemberRole } from "./member-team-role.ts";
import { wasStartedBefore } from "./missing-transcript.ts";
import { memberWorktrees, openTeammateWorktree, type TeammateWorktree } from "./teammate-worktree.ts";
import { createNoticeRecorder, storageNoticeKind } from "./record-notice.ts";
import type { Session } from "../session.ts";
import type { MemberContext, MemberPrompt } from "../member-context.ts";
import type { ProcessShared } from "./process-shared.ts";
import { type SessionHost, systemHost } from "../session-host.ts";
import { startSession, type StartOptions } from "../start-session.ts";

export interface TeammateOptions extends Pick<StartOptions, "cwd" | "env" | "host" | "isObservable" | "shared"> {
  readonly team: string;
  readonly name: string;
  /** Where its team is stored. */
  readonly flags?: StoreOptions | undefined;
  /** Receives all events of its session. */
  readonly onEnvelope?: ((envelope: Envelope) => void) | undefined;
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
  const host = options.host ?? systemHost();
  const { clock, createId, loadConfig } = host;
  const stores = { bus: options.flags?.bus, teamStore: options.flags?.teamStore };
  const { home, bus, claudeFolder } = await loadConfig({ cwd: options.cwd, env: options.env, flags: stores });
  const news = createLate<ReturnType<typeof createNoticeRecorder>>("the teammate's agent");
  const onNotice = (text: string) => news.whenSet((report) => report(text));
  const store = options.teams ?? host.openTeamStore({ home, bus, claudeFolder, clock, createId, onNotice });
  const team = await store.open(options.team);
  const mailbox = openMailbox(team, { clock, createId });
  const cleanup = createCleanup();
  cleanup.add(team.close);
  cleanup.add(mailbox.close);
  try {
    return await startTeammate({ options, stores, host, team, mailbox, bus, news, cleanup });
  } catch (error) {
    await cleanup.close();
    throw error;
  }
}

interface TeammateStart {
  readonly options: TeammateOptions;
  readonly stores: StoreOptions;
  readonly host: SessionHost;
  readonly team: StoredTeam;
  readonly mailbox: Mailbox;
  readonly bus: Config["bus"];
  /** Records problems of the storage, once the teammate has an agent. */
  readonly news: Late<ReturnType<typeof createNoticeRecorder>>;
  readonly cleanup: Cleanup;
}

async function startTeammate(from: TeammateStart): Promise<RunningTeammate> {
  const { options, stores, host, team, mailbox, cleanup } = from;
  const { clock, createId, loadConfig } = host;
  const { remoteHost } = options;
  const member = localizeMember(memberOf(team, options.name), remoteHost);
  const earlierPresence = await team.presence.look(member.name);
  const presence = await team.presence.announce(member.name, "starting");
  // The team's files are shared within the process, so closing them would not end the heartbeat.
  cleanup.add(presence.close);
  const worktree = await openTeammateWorktree(member, { env: options.env, host, mailbox });
  const { trusted, ledger: _, places: __, scratchpad, ...launched } = member.launch ?? {};
  const flags: SessionOptions = { ...(remoteHost?.flags ?? launched), ...stores };
  const path = `${member.name}@${team.name}` as AgentPath;
  const sessionId = member.sessionId ?? createId<SessionId>("ses");
  const config = await loadConfig({ cwd: member.cwd, env: options.env, flags });
  const accounts = openAccounts(member, from, { config, sessionId, path });
  const starting = createLate<Promise<Session>>(`the session of ${member.name}`);
  const { ended, stop } = createStop(member, from, { presence, worktree, session: () => starting.get() });
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
    leftBy: memberWorktrees({ config, worktrees: host.worktrees, clock, createId }).leftBy,
    remoteHost,
  });
  const blocks = remoteHost ? [remoteHost.conduct] : [];
  const opening = startSession({
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
    shared: accounts.shared,
    teammate: {
      slots: accounts.slots,
      member: {
        team: team.name,
        name: member.name,
        leadSession: team.record.current().leadSessionId,
        path,
        folder: worktree?.path ?? remoteHost?.folder,
        agentType: member.agentType ?? "general-purpose",
        scratchpad,
        prompt: memberPrompt(member, { team, worktree: worktree?.facts }, blocks),
        env: worktree?.env ?? {},
        mode: member.mode ?? "default",
        ...currentRights(member, team, remoteHost),
        askHost: memberRole.askHost,
      },
      connect: (ports) => {
        from.news.set(createNoticeRecorder(ports, storageNoticeKind(from.bus)));
        return (remoteHost ? tapEvents(memberRole.connect, remoteHost) : memberRole.connect)(ports);
      },
    },
  });
  starting.set(opening);
  const session = await opening;
  if (options.onEnvelope) void follow(session, options.onEnvelope);
  return { member, session, ended, stop };
}

/** The mode and the rules that the team's record has now. */
const currentRights = (
  member: Member,
  { record }: StoredTeam,
  remoteHost: RemoteHost | undefined,
): Pick<MemberContext, "modeNow" | "teamRules"> => ({
  modeNow: () => {
    const { mode = "default" } = record.current().members.find(({ name }) => name === member.name) ?? {};
    return remoteHost?.capMode(mode) ?? mode;
  },
  teamRules: () =>
    record
      .current()
      .teamAllowedPaths.flatMap((path) => mapPathToClone(path, remoteHost))
      .map(allowPathRule),
});

/** Opens the budget and the limits that a teammate shares with its lead. */
function openAccounts(
  member: Member,
  { options, host, cleanup }: TeammateStart,
  { config, sessionId, path }: { readonly config: Config; readonly sessionId: SessionId; readonly path: AgentPath },
): { readonly shared: ProcessShared; readonly slots: AgentSlots | undefined } {
  const { clock, createId } = host;
  const { shared, remoteHost } = options;
  if (shared) return { shared, slots: shared.limits?.forSession({ sessionId, member: path }) };
  const { ledger: file, places, ...budget } = member.launch ?? {};
  const ledger =
    file === undefined
      ? undefined
      : openSharedLedger(file, { budget, sessionId: member.sessionId ?? member.agentId, clock, createId });
  if (ledger) cleanup.add(ledger.close);
  const limits = places ? openSharedLimits(places, { clock, createId }) : undefined;
  if (limits) cleanup.add(limits.close);
  const own = { maxBudgetUsd: config.maxBudgetUsd, maxTokens: config.limits.maxTokens };
  return {
    shared: {
      gates: createGateRegistry(clock),
      models: new Map(),
      ledger: remoteHost?.ledger ?? ledger?.ledger ?? createLedger(own),
      counted: new Set(remoteHost && [sessionId]),
    },
    slots: limits?.forSession({ sessionId, member: path }),
  };
}

interface StopPorts {
  readonly presence: OwnPresence;
  readonly worktree: TeammateWorktree | undefined;
  session(): Promise<Session>;
}

/** Ends a teammate once: closes its session, reports its state to the team and closes what was opened for it. */
function createStop(member: Member, { host, team, cleanup }: TeammateStart, ports: StopPorts) {
  const { presence, worktree } = ports;
  let stopping: Promise<void> | undefined;
  let resolveEnded: (failure: string | undefined) => void = () => undefined;
  const ended = new Promise<string | undefined>((resolve) => {
    resolveEnded = resolve;
  });
  const stopWaiting = new AbortController();

  const leave = async (end: Exclude<MemberEnd, "rest">, detail?: string) => {
    const { tasks, record } = withDiskFullRetry(team, { clock: host.clock, signal: stopWaiting.signal });
    // The next owner of its tasks finds its work on its branch.
    try {
      if (worktree) await worktree.finish();
    } finally {
      await noteLeftBranch(tasks, member);
      await tasks.releaseGone(async (owner) => (owner.name === member.name ? "its owner has ended" : undefined));
    }
    await presence.set("ended", detail ?? end);
    await record.end(member.name, { reason: end, ...(detail !== undefined && { detail }) });
  };

  const finish = async (end: MemberEnd, detail?: string) => {
    let failure: string | undefined;
    try {
      const session = await ports.session();
      await session.close(end === "rest" ? "interrupted" : "completed");
      // Another process runs the teammate now and reports its state.
      if (presence.lost.aborted) return;
      if (end !== "rest") await leave(end, detail);
      else await presence.set("ended", "suspended until its team is resumed");
    } catch (error) {
      failure = messageOf(error);
      throw error;
    } finally {
      await cleanup.close().finally(() => resolveEnded(failure));
    }
  };

  /** A second call stops waiting for a full disk. The team completes what is left. */
  const stop = (end: MemberEnd, detail?: string) => {
    if (stopping) stopWaiting.abort(new DOMException("stop was requested again", "AbortError"));
    return (stopping ??= finish(end, detail));
  };
  return { ended, stop };
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
