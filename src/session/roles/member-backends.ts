import { type BackendType, type Envelope, type Member, TroupeError } from "../../protocol/index.ts";
import type { OpenedSession, TeamStore } from "../../store/index.ts";
import { type Backend, createInProcessBackend, type MemberBackends } from "../../team/index.ts";
import {
  createRemoteBackend,
  mirrorTeammateLog,
  type RemoteWork,
  createTeammateBudget,
  type TeammateJobs,
} from "../../remote/index.ts";
import type { Config } from "../config/load-config.ts";
import { storeVariables } from "../config/store-variables.ts";
import type { SessionHost } from "../session-host.ts";
import type { StartOptions } from "../start-session.ts";
import type { ProcessShared } from "../teams/process-shared.ts";

export interface MemberBackendOptions {
  readonly options: StartOptions;
  readonly config: Config;
  readonly host: SessionHost;
  readonly opened: OpenedSession;
  readonly shared: ProcessShared;
  readonly teams: TeamStore;
  /** Undefined if members cannot run on other machines. */
  readonly remote: { readonly work: RemoteWork; readonly jobs: TeammateJobs } | undefined;
  readonly lead: LeadNews;
}

/** Tells the lead and its viewers about members. */
export interface LeadNews {
  /** Shows the events of teammates next to the lead's own events. */
  show(envelope: Envelope): void;
  /** Reports a problem of the storage. */
  reportNotice(message: string): void;
  raiseNotice(message: string, level: "info" | "warning"): Promise<void>;
  /** The lead reads it at its next turn. */
  informLead(text: string, level: "info" | "warning"): Promise<void>;
}

/** Opens the backends that run members. Each is opened once. */
export function openMemberBackends(from: MemberBackendOptions): MemberBackends & { close(): Promise<void> } {
  const { options, config } = from;
  const opened = new Map<BackendType, Promise<Backend>>();
  const open = (type: BackendType): Promise<Backend> => {
    const known = opened.get(type) ?? makeBackend(type, from);
    opened.set(type, known);
    return known;
  };
  // If a call opts out of remote workers, the teammate uses a local backend.
  const wanted = config.teams.backend === "remote" ? "auto" : (config.teams.backend ?? "auto");
  const isInside = (options.env["TMUX"] ?? "") !== "";
  return {
    open,
    /** Uses tmux panes if they are wanted and available, otherwise this process. */
    async choose() {
      if (wanted === "in-process" || (wanted === "auto" && !isInside)) return { type: "in-process" as const };
      try {
        await open("tmux");
        return { type: "tmux" as const };
      } catch (error) {
        if (!TroupeError.is(error)) throw error;
        return { type: "in-process" as const, notice: `tmux panes are not available for teammates: ${error.message}` };
      }
    },
    async close() {
      for (const made of await Promise.allSettled(opened.values()))
        if (made.status === "fulfilled") await made.value.close();
    },
  };
}

async function makeBackend(type: BackendType, from: MemberBackendOptions): Promise<Backend> {
  const { options, config, host, opened } = from;
  const { home, bus, cwd } = config;
  switch (type) {
    case "in-process":
      return createInProcessBackend((member) => runInProcess(member, from));
    case "tmux":
      return host.openPanes({
        env: {
          ...options.env,
          ...storeVariables({ ...options.flags, bus: bus?.servers.join(",") }),
          TROUPE_HOME: home,
        },
        cwd,
        sessionId: opened.sessionId,
        placement: config.teams.tmux ?? "own",
        clock: host.clock,
      });
    case "remote":
      return makeRemoteBackend(from);
  }
}

async function runInProcess(member: Member, { options, shared, teams, host, lead }: MemberBackendOptions) {
  const { runTeammate } = await import("../teams/run-teammate.ts");
  const { name, cwd } = member;
  const { env, isObservable, flags } = options;
  return runTeammate({
    team: teamOf(member),
    name,
    cwd,
    env,
    flags,
    isObservable,
    shared,
    teams,
    onEnvelope: lead.show,
    host,
  });
}

function makeRemoteBackend({ config, host, shared, teams, remote, lead }: MemberBackendOptions): Promise<Backend> {
  if (!remote) throw new TroupeError("team", noBus);
  const { work, jobs } = remote;
  const { clock, createId } = host;
  return createRemoteBackend({
    ...jobs,
    leaseMs: work.leaseMs,
    workerWaitMs: work.workerWaitMs,
    clock,
    openTeam: (member) => teams.open(teamOf(member)),
    budget: (ports) => createTeammateBudget(shared.ledger, ports),
    mirror: (member, { team, spent }) =>
      mirrorTeammateLog(team, member, {
        home: config.home,
        clock,
        createId,
        publish: lead.show,
        spent,
        onFailure: (error) =>
          lead.reportNotice(`Cannot show the activity of ${member.name} any more: ${String(error)}`),
      }),
    notice: (text) => lead.raiseNotice(text, "warning"),
    notify: lead.informLead,
  });
}

const teamOf = ({ agentId, name }: Pick<Member, "agentId" | "name">) => agentId.slice(name.length + 1);

const noBus = "Teammates on other machines need a team on a bus. Start with --bus nats://host:4222.";
