import { mkdirSync } from "node:fs";
import { join } from "node:path";
import {
  type Clock,
  currentProcess,
  hasErrorCode,
  isAlive,
  type ProcessIdentity,
  safeName,
  storageError,
} from "../../../platform/index.ts";
import { type MemberState, TroupeError } from "../../../protocol/index.ts";
import { createPresenceFile, type OwnPresenceFile, type PresenceFile, readPresence } from "./member-presence-file.ts";
import type { MemberPresence, OwnPresence, Presence } from "./presence.ts";
import { alreadyRunningError, ownStateSetter, statusOfMember, goneReason, type OwnState } from "./presence-status.ts";
import type { PresenceTimes } from "./presence-times.ts";

export interface PresenceOptions extends PresenceTimes {
  readonly folder: string;
  readonly clock: Pick<Clock, "now">;
  readonly owner?: ProcessIdentity;
}

/** One small file for each member, rewritten only by its owner. */
export function createPresence(options: PresenceOptions): Presence & { close(): Promise<void> } {
  const { folder, clock, uptime = systemUptime, leaseMs = 10_000, beatMs = 2_000 } = options;
  const here = options.owner ?? currentProcess();
  const ownMembers = new Map<string, OwnMember>();
  let timer: NodeJS.Timeout | undefined;
  const pathOf = (name: string) => join(folder, `${safeName(name)}.json`);

  const announce = async (name: string, state: MemberState, detail?: string): Promise<OwnPresence> => {
    const before = readPresence(pathOf(name));
    if (before !== undefined && before !== "damaged" && !sameProcess(before.owner, here)) {
      if (judge(before).alive === "alive") throw alreadyRunningError(name, before.owner.pid);
    }
    const earlier = ownMembers.get(name);
    const own: OwnMember = { name, state, detail, since: now(), beat: uptime(), lost: new AbortController() };
    makeOwnFolder(folder);
    writeNewFile(own);
    ownMembers.set(name, own);
    if (earlier) markLost(earlier);
    timer ??= setInterval(beat, beatMs).unref();
    return {
      lost: own.lost.signal,
      set: ownStateSetter(own, { now, publish: async () => renew(own) }),
      close: async () => stop(own),
    };
  };

  const now = () => new Date(clock.now()).toISOString();

  const wordsOf = ({ name, state, detail, since, beat: at }: OwnMember): PresenceFile => ({
    name,
    state,
    ...(detail !== undefined && { detail }),
    since,
    owner: here,
    beat: at,
  });

  /** Writes a new file that replaces the existing one. */
  const writeNewFile = (own: OwnMember) => {
    const file = createPresenceFile(pathOf(own.name), wordsOf(own));
    own.file?.close();
    own.file = file;
  };

  /** A process that was paused past its lease must not overwrite its successor. */
  const renew = (own: OwnMember) => {
    own.beat = uptime();
    if (own.file?.isThere()) return own.file.write(wordsOf(own));
    const there = readPresence(pathOf(own.name));
    const isOurs = there === undefined || there === "damaged" || sameProcess(there.owner, here);
    if (!isOurs) return markLost(own);
    writeNewFile(own);
    // This was the last write for a member that was closed, so its file is closed here.
    if (ownMembers.get(own.name) !== own) stop(own);
  };

  const markLost = (own: OwnMember) => {
    stop(own);
    own.lost.abort();
  };

  const beat = () => {
    for (const own of ownMembers.values()) {
      try {
        renew(own);
      } catch (error) {
        // A lease that cannot be renewed runs out, and every reader sees that. The next beat tries again.
        if (!TroupeError.is(error)) throw error;
      }
    }
  };

  const stop = (own: OwnMember) => {
    own.file?.close();
    own.file = undefined;
    if (ownMembers.get(own.name) === own) ownMembers.delete(own.name);
    if (ownMembers.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };

  const look = (name: string): MemberPresence | undefined => {
    const own = ownMembers.get(name);
    if (own) return judge(wordsOf(own));
    const there = readPresence(pathOf(name));
    if (there === undefined) return undefined;
    if (there !== "damaged" && there.name === name) return judge(there);
    const detail = `its presence file cannot be read (${pathOf(name)})`;
    return { name, state: "starting", detail, since: now(), alive: "unknown", expired: false, pid: 0 };
  };

  const judge = ({ name, state, detail, since, owner, beat: at }: PresenceFile): MemberPresence => {
    // The calling process is alive. Asking the system takes time, and one process can have many members.
    const process = sameProcess(owner, here) ? "alive" : isAlive(owner, here);
    // Uptimes of another machine, or from before a restart of this one, cannot be compared.
    const expired = owner.bootId === here.bootId && uptime() - at > leaseMs;
    const alive = process === "dead" || state === "ended" ? "dead" : expired ? "unknown" : process;
    return { name, state, ...(detail !== undefined && { detail }), since, alive, expired, pid: owner.pid };
  };

  return {
    announce,
    look: async (name) => look(name),
    statusOf: async (members) => members.map((member) => statusOfMember(member, { there: look(member.name), leaseMs })),
    goneReason: async (name) => goneReason(name, { there: look(name), leaseMs }),
    close: async () => {
      for (const own of ownMembers.values()) stop(own);
    },
  };
}

interface OwnMember extends OwnState {
  file?: OwnPresenceFile | undefined;
  beat: number;
}

const systemUptime = (): number => Number(process.hrtime.bigint() / 1_000_000n);

const sameProcess = (a: ProcessIdentity, b: ProcessIdentity): boolean =>
  a.pid === b.pid && a.startedAt === b.startedAt && a.bootId === b.bootId && a.host === b.host;

function makeOwnFolder(folder: string): void {
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (!hasErrorCode(error, "EEXIST")) throw storageError("create the folder", folder, error);
  }
}
