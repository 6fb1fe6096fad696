import { join } from "node:path";
import { projectName } from "../../src/platform/index.ts";
import { type Event, type StoredEnvelope, teamLead } from "../../src/protocol/index.ts";
import { followLog } from "./follow-log.ts";

export interface MemberFollower {
  /** Call with each event of the lead's session: it shows which members exist and which ended. */
  onLeadEvent(event: Event): void;
  /** Resolves when the lead knows that all members ended. */
  readonly ended: Promise<void>;
  /** Stops following. Rejects if a log could not be read. */
  close(): Promise<void>;
}

export interface FollowMembersOptions {
  readonly home: string;
  readonly cwd: string;
  /** The number of members to expect. */
  readonly count: number;
  readonly onEvent: (name: string, envelope: StoredEnvelope) => void;
}

/** Follows the members' logs: each member has a separate session, perhaps in another process. */
export function followMembers({ home, cwd, count, onEvent: heard }: FollowMembersOptions): MemberFollower {
  const over = new AbortController();
  const following = new Map<string, Promise<void>>();
  const endedMembers = new Set<string>();
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));

  const follow = async (name: string, session: string) => {
    const log = join(home, "projects", projectName(cwd), `${session}.jsonl`);
    for await (const envelope of followLog(log, over.signal)) heard(name, envelope);
  };

  return {
    onLeadEvent(event) {
      if (event.type !== "member.changed" || event.name === teamLead) return;
      if (event.state !== "ended") endedMembers.delete(event.name);
      else if (endedMembers.add(event.name).size === count) end();
      if (event.sessionId === undefined || following.has(event.name)) return;
      const done = follow(event.name, event.sessionId);
      done.catch(() => undefined); // `close` reports it
      following.set(event.name, done);
    },
    ended,
    async close() {
      over.abort();
      await Promise.all(following.values());
    },
  };
}
