import type { Agent } from "../../agent/index.ts";
import { type Clock, never } from "../../platform/index.ts";
import { type BackendType, isExternal, type Member } from "../../protocol/index.ts";
import type { StoredTeam } from "../../store/index.ts";
import type { Backend, RunningMember } from "../backend/backend.ts";
import type { MemberLosses } from "./member-losses.ts";
import type { MemberTable } from "./member-table.ts";
import type { PresenceWatch } from "./presence-watch.ts";

/** Starts and ends the processes of members, and notices when one ends by itself. */
export interface MemberProcesses {
  start(member: Member): Promise<Member>;
  track(member: Member, started: RunningMember): void;
  /** Ends a member that runs here, whatever its record says. */
  kill(name: string): Promise<void>;
  /** False at once if `requestSent` rejects: a member that could not be asked does not end by itself. */
  endsWithin(name: string, ms: number, requestSent?: Promise<unknown>): Promise<boolean>;
}

export interface MemberProcessesPorts {
  readonly record: StoredTeam["record"];
  readonly lead: Pick<Agent, "fail">;
  readonly losses: Pick<MemberLosses, "markLost">;
  readonly watch: Pick<PresenceWatch, "refresh">;
  readonly backend: (type: BackendType) => Promise<Backend>;
  readonly memberOf: (name: string) => Member;
  readonly clock: Pick<Clock, "sleep">;
}

export function createMemberProcesses(table: MemberTable, ports: MemberProcessesPorts): MemberProcesses {
  const { running } = table;

  const track = (member: Member, started: RunningMember) => {
    running.set(member.name, started);
    started.ended
      .then(async (cause) => {
        if (running.get(member.name) === started) running.delete(member.name);
        if (table.leaving.has(member.name)) return;
        if (cause !== undefined) await ports.losses.markLost(member, cause);
        if (!table.isClosing) await ports.watch.refresh();
      })
      .catch((error: unknown) => void ports.lead.fail(error));
  };

  const kill = async (name: string) => {
    const handle = running.get(name) ?? (await attached(ports.memberOf(name)));
    await handle?.kill();
    running.delete(name);
  };

  /** Troupe does not end programs of external members. */
  const attached = async (member: Member) =>
    isExternal(member) ? undefined : (await ports.backend(member.backendType)).attach(member);

  return {
    track,
    kill,
    async start(member) {
      const started = await (await ports.backend(member.backendType)).start(member);
      track(member, started);
      const { pane } = started;
      if (!pane) return member;
      try {
        return await ports.record.change(member.name, { pane, tmuxPaneId: pane.paneId });
      } catch (error) {
        // Close a pane that the record does not know: no lead could find it again.
        await table.whileLeaving(member.name, () => kill(member.name));
        throw error;
      }
    },
    async endsWithin(name, ms, requestSent = never()) {
      const handle = running.get(name);
      if (!handle) return true;
      const stop = new AbortController();
      const late = ports.clock.sleep(Math.max(ms, handle.suspendMs ?? 0), stop.signal).then(
        () => false,
        () => false,
      );
      const gone = handle.ended.then(() => true);
      const requestFailed = requestSent.then(never, () => false);
      return Promise.race([gone, late, requestFailed]).finally(() => stop.abort());
    },
  };
}
