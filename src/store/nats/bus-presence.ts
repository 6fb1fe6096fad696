import type { Clock } from "../../platform/index.ts";
import { type Member, type MemberState, type MemberStatus, TroupeError } from "../../protocol/index.ts";
import type { MemberPresence, OwnPresence, Presence } from "../team/presence-port.ts";
import { spokenFor, statusOfMember, takenOver, whyGone } from "../team/presence-words.ts";
import type { Bus } from "./bus.ts";
import type { Sign, Signs, Word } from "./signs.ts";
import type { TeamSubjects } from "./subjects.ts";

/** What members say of themselves, on the bus. */
export function createBusPresence(options: {
  readonly signs: Signs;
  readonly subjects: TeamSubjects;
  readonly clock: Pick<Clock, "now">;
  readonly leaseMs: number;
  readonly bus: Pick<Bus, "isConnected" | "onReconnect">;
}): Presence & { close(): Promise<void> } {
  const { signs, subjects, clock, leaseMs, bus } = options;
  const spoken = new Map<string, Spoken>();
  const now = () => new Date(clock.now()).toISOString();

  const announce = async (name: string, state: MemberState, detail?: string): Promise<OwnPresence> => {
    const subject = subjects.presence(name);
    const own: Spoken = {
      name,
      state,
      detail,
      since: now(),
      sequence: 0,
      isSaid: true,
      lost: new AbortController(),
      saying: Promise.resolve(),
    };
    for (;;) {
      await signs.refresh();
      const before = signs.lastOn(subject);
      if (before !== undefined && !isOurs(before) && aliveOf(before) === "alive")
        throw spokenFor(name, before.word.owner.pid);
      const said = await signs.say(subject, wordsOf(own), before?.sequence ?? 0);
      if (said === "conflict") continue;
      own.sequence = said;
      break;
    }
    const earlier = spoken.get(name);
    spoken.set(name, own);
    if (earlier) lose(earlier);
    return {
      lost: own.lost.signal,
      set: async (nextState, nextDetail) => {
        if (own.lost.signal.aborted) throw takenOver(name);
        if (own.state === nextState && own.detail === nextDetail) return;
        const since = own.state === nextState ? own.since : now();
        Object.assign(own, { state: nextState, detail: nextDetail, since });
        await tell(own);
        if (own.lost.signal.aborted) throw takenOver(name);
      },
      close: async () => {
        if (spoken.get(name) !== own) return;
        spoken.delete(name);
        await sayLast(own);
      },
    };
  };

  const isOurs = ({ word: { owner } }: Sign): boolean => {
    const { here } = signs;
    return owner.pid === here.pid && owner.startedAt === here.startedAt && owner.bootId === here.bootId;
  };

  const wordsOf = ({ name, state, detail, since }: Spoken, more: Partial<Word> = {}): Word => ({
    owner: signs.here,
    process: signs.process,
    name,
    state,
    ...(detail !== undefined && { detail }),
    since,
    ...more,
  });

  /** In the order of the calls. While the bus is away nobody waits for it: the last word is said when it is back. */
  const tell = async (own: Spoken, more: Partial<Word> = {}): Promise<void> => {
    own.isSaid = false;
    const saying = own.saying.then(() => say(own, more));
    own.saying = saying.catch(() => undefined);
    if (bus.isConnected()) await saying;
  };

  /** Where it cannot be said, its lease runs out all the same. */
  const sayLast = (own: Spoken) =>
    tell(own, { isLast: true }).catch((error: unknown) => {
      if (!TroupeError.is(error)) throw error;
    });

  /** Whoever was stopped past its lease must not speak over who has taken its place. */
  const say = async (own: Spoken, more: Partial<Word>): Promise<void> => {
    const subject = subjects.presence(own.name);
    while (!own.lost.signal.aborted) {
      const said = await signs.say(subject, wordsOf(own, more), own.sequence);
      if (said !== "conflict") {
        Object.assign(own, { sequence: said, isSaid: true });
        return;
      }
      await signs.refresh();
      const there = signs.lastOn(subject);
      if (there !== undefined && !isOurs(there)) return lose(own);
      own.sequence = there?.sequence ?? 0;
    }
  };

  const lose = (own: Spoken) => {
    if (spoken.get(own.name) === own) spoken.delete(own.name);
    own.lost.abort();
  };

  const stopWaiting = bus.onReconnect(() => {
    for (const own of spoken.values())
      if (!own.isSaid) own.saying = own.saying.then(() => say(own, {})).catch(() => undefined);
  });
  const stopListening = signs.onWord((subject, sign) => {
    for (const own of spoken.values())
      if (subjects.presence(own.name) === subject && sign.sequence > own.sequence && !isOurs(sign)) lose(own);
  });

  const aliveOf = (sign: Sign): MemberStatus["alive"] => {
    const { process, expired } = signs.judge(sign);
    return process === "dead" || sign.word.state === "ended" ? "dead" : expired ? "unknown" : process;
  };

  const look = (name: string): MemberPresence | undefined => {
    const sign = signs.lastOn(subjects.presence(name));
    if (sign === undefined || sign.word.name !== name) return undefined;
    const { state = "starting", detail, since = now(), owner } = sign.word;
    const { expired } = signs.judge(sign);
    const alive = aliveOf(sign);
    return { name, state, ...(detail !== undefined && { detail }), since, alive, expired, pid: owner.pid };
  };

  return {
    announce,
    look: async (name) => {
      await signs.refresh();
      return look(name);
    },
    statusOf: async (members: readonly Member[]) => {
      await signs.refresh();
      return members.map((member) => statusOfMember(member, { there: look(member.name), leaseMs }));
    },
    whyGone: async (name) => {
      // Who does not hear anybody must not say that somebody is gone.
      if ((await signs.refresh()) === "stale") return undefined;
      return whyGone(name, { there: look(name), leaseMs });
    },
    close: async () => {
      stopListening();
      stopWaiting();
      const all = [...spoken.values()];
      spoken.clear();
      if (!bus.isConnected()) return;
      for (const own of all) await sayLast(own);
    },
  };
}

interface Spoken {
  readonly name: string;
  readonly lost: AbortController;
  state: MemberState;
  detail: string | undefined;
  since: string;
  sequence: number;
  /** The last word is stored. */
  isSaid: boolean;
  saying: Promise<void>;
}
