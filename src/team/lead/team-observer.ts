import { type Clock, closeAll } from "../../platform/index.ts";
import { isExternal, jobWaitOf, type Member, type MemberStatus, messageOf, teamLead } from "../../protocol/index.ts";
import type { StoredTeam } from "../../store/index.ts";
import { createHeartbeatTimeout } from "./heartbeat-timeout.ts";
import type { TeamMembers } from "./team-members.ts";
import type { LeadLimits } from "./lead-context.ts";
import type { LeadParts } from "./connect-lead.ts";

/** Watches the members of a team and passes on what it sees: changes of state, silence, losses and ends. */
export interface TeamObserver {
  start(): Promise<void>;
  close(): Promise<void>;
}

export interface TeamObserverPorts extends Pick<LeadParts, "watch" | "lifecycle" | "endings" | "ends" | "attention"> {
  readonly team: Pick<StoredTeam, "record" | "tasks" | "reportsIdle">;
  readonly members: TeamMembers;
  readonly onStatus: (status: MemberStatus, member: Member) => void;
  /** Called repeatedly with the problems in reading the team's files. */
  readonly onProblems?: ((problems: readonly string[]) => void) | undefined;
  readonly warn: (message: string) => Promise<void>;
  readonly onFailure: (error: unknown) => void;
  readonly limits: Pick<LeadLimits, "startMs" | "silentMs">;
  readonly clock: Clock;
}

export function createTeamObserver(ports: TeamObserverPorts): TeamObserver {
  const { team, watch, lifecycle, attention, clock, onFailure } = ports;

  const onChange = (status: MemberStatus, member: Member) => {
    ports.onStatus(status, member);
    if (status.name === teamLead) return;
    const isObserved = !isExternal(member) || team.reportsIdle?.(member.name) === true;
    const state = jobWaitOf(status) === undefined ? status.state : "awaits_job";
    if (isObserved) attention.notify({ type: "status", name: status.name, state });
    if (status.alive === "alive") attention.notify({ type: "sign", name: status.name });
    ports.ends.onEnded(member);
    ports.endings
      .observe(status)
      .catch((error: unknown) => ports.warn(`cannot end ${status.name}: ${messageOf(error)}`))
      .catch(onFailure);
  };

  const heartbeats = createHeartbeatTimeout({
    ...ports.limits,
    statuses: () => watch.all(),
    // For remote members the job decides: another worker may be about to adopt it.
    isRunHere: (name) => lifecycle.isRunning(name) && ports.members.get(name).worker === undefined,
    onSilent: lifecycle.onSilent,
    abort: lifecycle.abort,
    refresh: () => watch.refresh(),
    clock,
    onFailure,
  });

  return {
    async start() {
      watch.start({
        onChange,
        onRefresh: () => {
          ports.onProblems?.([...team.record.problems(), ...team.tasks.problems()]);
          heartbeats.check();
        },
        onGone: (member, { reason, wasSeen }) =>
          isExternal(member) ? lifecycle.disconnected(member, { wasSeen }) : lifecycle.markLost(member, reason),
      });
      await watch.refresh();
    },
    close: () => closeAll([heartbeats.close, watch.close]),
  };
}
