import { type Member, type MemberState, type MemberStatus, TroupeError } from "../../../protocol/index.ts";
import type { MemberPresence, OwnPresence } from "./presence.ts";

/** Combines record and presence. If the record says that a member has ended, that is final. */
export function statusOfMember(member: Member, { there, leaseMs }: Known): MemberStatus {
  const { name, ended } = member;
  if (ended !== undefined) {
    const detail = ended.detail === undefined ? ended.reason : `${ended.reason}: ${ended.detail}`;
    return { name, state: "ended", detail, since: ended.at, alive: "dead" };
  }
  if (there === undefined) return { name, state: "starting", since: member.joinedAt, alive: "unknown" };
  const { expired, pid: _, ...status } = there;
  if (!expired || status.alive === "dead") return status;
  const silent = `no sign of life for more than ${leaseMs / 1000} s`;
  return { ...status, detail: status.detail === undefined ? silent : `${status.detail}; ${silent}` };
}

export function goneReason(name: string, { there, leaseMs }: Known): string | undefined {
  if (there === undefined) return undefined;
  if (there.state === "ended") return `${name} has ended`;
  if (there.alive === "dead") return `the process of ${name} (${there.pid}) is gone`;
  return there.expired ? `${name} gave no sign of life for more than ${leaseMs / 1000} s` : undefined;
}

/** The state that a process publishes about its own member. */
export interface OwnState {
  readonly name: string;
  readonly lost: AbortController;
  state: MemberState;
  detail: string | undefined;
  since: string;
}

/**
 * Returns a function that changes and publishes the own state, unless nothing has changed. It rejects if another process
 * took over the member.
 */
export function ownStateSetter(
  own: OwnState,
  { now, publish }: { readonly now: () => string; readonly publish: () => Promise<void> },
): OwnPresence["set"] {
  return async (state, detail, since) => {
    if (own.lost.signal.aborted) throw takenOverError(own.name);
    if (own.state === state && own.detail === detail) return;
    Object.assign(own, { state, detail, since: since ?? (own.state === state ? own.since : now()) });
    await publish();
    if (own.lost.signal.aborted) throw takenOverError(own.name);
  };
}

interface Known {
  readonly there: MemberPresence | undefined;
  readonly leaseMs: number;
}

export const alreadyRunningError = (name: string, pid: number): TroupeError =>
  new TroupeError("team", `Process ${pid} already runs ${name}. End it there first, or wait until it has ended.`);

export const takenOverError = (name: string): TroupeError =>
  new TroupeError("team", `Another process runs ${name} now: this one was silent for too long and must stop.`);
