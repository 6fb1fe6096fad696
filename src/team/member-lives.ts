import { type Agent, escapeTags } from "../agent/index.ts";
import type { Clock } from "../platform/index.ts";
import { type BackendType, isOutside, type Member, TroupeError, type WorkItem } from "../protocol/index.ts";
import type { StoredTeam } from "../store/index.ts";
import type { Backend, RunningMember } from "./backend/backend.ts";
import type { MemberLink } from "./member-link.ts";
import type { MemberWatch } from "./member-watch.ts";
import { notOursToStart } from "./not-ours-to-start.ts";

/** The lives of a team's members as their lead has them in hand: begun, brought back, lost, ended, sent to rest. */
export interface MemberLives {
  begin(member: Member): Promise<Member>;
  /** One that was there before this lead was. */
  keep(member: Member, started: RunningMember): void;
  respawn(name: string): Promise<Member>;
  /** Its process is gone, and it did not say so. */
  lose(member: Member, why: string): Promise<void>;
  /**
   * The same of one whom another program runs: it may come back, so it stays in the team, and its mail and its
   * reservations wait. `wasSeen`: it was there before, which makes it news.
   */
  hungUp(member: Member, how: { readonly wasSeen: boolean }): Promise<void>;
  /** Whether its process is in hand. */
  has(name: string): boolean;
  /** Resolves when what it has done so far is where its lead can see it. */
  settled(name: string): Promise<void>;
  /** Where it works, if that is on another machine. */
  folderOf(name: string): string | undefined;
  /** Ends one that shows no sign of life: it is lost, as if its process were gone. */
  giveUp(name: string, why: string): Promise<void>;
  /** It gives no sign: others may take up what it has begun. What is only meant for it stays its own. */
  silent(name: string): Promise<void>;
  /** What those have in hand goes back who have ended: whoever put that down may have died before this. Gives what is to be told. */
  giveBackOfEnded(): Promise<readonly string[]>;
  /** Resolves when it is no longer there; false when it still is after that long. */
  goneWithin(name: string, ms: number): Promise<boolean>;
  /** Ends it without asking; what it had in hand goes back. Whom another program runs is only taken out of the team. */
  endNow(name: string, end: EndOfMember): Promise<void>;
  /** All of them, at once; from here on nobody who goes is lost. Gives what went wrong with any of them. */
  restAll(): Promise<readonly string[]>;
}

export interface EndOfMember {
  /** `killed` if nothing is said. */
  readonly reason?: "killed" | "shutdown" | undefined;
  readonly detail: string | undefined;
}

export interface MemberLivesOptions {
  readonly team: Pick<StoredTeam, "name" | "record" | "tasks">;
  readonly lead: () => Agent;
  readonly link: () => MemberLink;
  readonly watch: () => MemberWatch;
  /** Rejects with a TroupeError where there is no such thing here. */
  readonly backend: (type: BackendType) => Promise<Backend>;
  /** Throws a TroupeError for a name that nobody has. */
  readonly memberOf: (name: string) => Member;
  /** The member with no more rights than its lead has by now. */
  readonly cap: (member: Member) => Promise<Member>;
  /** Nobody waits for answers to its questions any more. */
  readonly forget: (name: string) => void;
  /** Puts in order what a member leaves behind that was ended from outside. */
  readonly putAway: (member: Member) => Promise<readonly string[]>;
  readonly clock: Clock;
}

/** How long a member that was told to rest may take to do so. */
export const restMs = 5_000;

export function createMemberLives(options: MemberLivesOptions): MemberLives {
  const { team, lead, memberOf, clock } = options;
  const { record } = team;
  const running = new Map<string, RunningMember>();
  /** Being ended by us: that it is gone is no news. */
  const leaving = new Set<string>();
  /** Being brought back: what is left of its earlier life says nothing. */
  const starting = new Set<string>();
  let closing = false;

  /** Somebody is gone who did not say so: what it had in hand goes back, and the lead hears of it. */
  const lose = async (member: Member, why: string) => {
    if (
      closing ||
      leaving.has(member.name) ||
      starting.has(member.name) ||
      running.has(member.name) ||
      record.current().members.find(({ name }) => name === member.name)?.ended
    )
      return;
    leaving.add(member.name);
    try {
      running.delete(member.name);
      // Before its end is put down: nobody looks for what one has in hand who has ended.
      const back = await giveBack(member.name, why);
      await record.end(member.name, { reason: "lost", detail: why });
      options.forget(member.name);
      const tasks = backWords(back);
      await tell(
        `Your teammate ${member.name} is gone: ${why}.${tasks} The user can bring it back with 'troupe team respawn ${team.name} ${member.name}'; what it has done so far is in its transcript.`,
      );
    } finally {
      leaving.delete(member.name);
    }
  };

  const hungUp = async ({ name }: Member, { wasSeen }: { readonly wasSeen: boolean }) => {
    if (closing || leaving.has(name)) return;
    options.forget(name);
    const back = await giveBack(name, "its program is gone");
    if (!wasSeen && back.length === 0) return;
    await tell(
      `${name}, which another program runs, is gone.${backWords(back)} It is still in the team: it may come back by itself, and mail to it waits until then.`,
    );
  };

  const tell = async (text: string) => {
    await lead().record({ type: "notice.raised", level: "warning", code: "member", message: text });
    await lead().admit("agent", [{ type: "text", text: escapeTags(text) }]);
    lead().wake();
  };

  const giveBack = (name: string, why: string) =>
    team.tasks.releaseGone(async (owner) => (owner.name === name ? why : undefined));

  const giveBackOfEnded = async () => {
    const ended = new Set(record.current().members.flatMap((member) => (member.ended ? [member.name] : [])));
    const back = await team.tasks.releaseGone(async ({ name }) => (ended.has(name) ? hasEnded : undefined));
    return back.length === 0 ? [] : [`Some tasks were still those of members who have ended.${backWords(back)}`];
  };

  const silent = async (name: string) => {
    const why = "its owner gives no sign";
    const back = await team.tasks.releaseGone(async (owner) =>
      owner.name === name && owner.holder !== undefined ? why : undefined,
    );
    if (back.length === 0) return;
    const message = `Your teammate ${name} gives no sign.${backWords(back)} If it comes back it is told that they are no longer its own.`;
    await lead().record({ type: "notice.raised", level: "warning", code: "member", message });
  };

  const keep = (member: Member, started: RunningMember) => {
    running.set(member.name, started);
    started.ended
      .then(async (why) => {
        if (running.get(member.name) === started) running.delete(member.name);
        if (leaving.has(member.name)) return;
        if (why !== undefined) await lose(member, why);
        if (!closing) await options.watch().look();
      })
      .catch((error: unknown) => void lead().fail(error));
  };

  const begin = async (member: Member): Promise<Member> => {
    const backend = await options.backend(member.backendType);
    const started = await backend.start(member);
    keep(member, started);
    const { pane } = started;
    if (!pane) return member;
    try {
      return await record.change(member.name, { pane, tmuxPaneId: pane.paneId });
    } catch (error) {
      // Nobody would find it again: a pane that the record does not know is closed.
      await quietly(member.name, () => kill(member.name));
      throw error;
    }
  };

  /** That it goes is no news while this is done. */
  const quietly = async (name: string, work: () => Promise<void>) => {
    leaving.add(name);
    try {
      await work();
    } finally {
      leaving.delete(name);
    }
  };

  const putAway = async (member: Member) => {
    const warn = (message: string) =>
      lead().record({ type: "notice.raised", level: "warning", code: "worktree", message });
    try {
      for (const trouble of await options.putAway(member)) await warn(trouble);
    } catch (error) {
      if (!TroupeError.is(error)) throw error;
      await warn(`the worktree of ${member.name} could not be put in order: ${error.message}`);
    }
  };

  /** Who runs here is ended whatever has become of its record. */
  const kill = async (name: string) => {
    const handle = running.get(name) ?? (await attached(memberOf(name)));
    await handle?.kill();
    running.delete(name);
  };

  /** A program of others is not ours to end. */
  const attached = async (member: Member) =>
    isOutside(member) ? undefined : (await options.backend(member.backendType)).attach(member);

  /** Resolves when it is no longer there; false when it still is after that long. */
  const goneWithin = async (name: string, ms: number, asked?: Promise<unknown>): Promise<boolean> => {
    const handle = running.get(name);
    if (!handle) return true;
    const stop = new AbortController();
    const late = clock.sleep(Math.max(ms, handle.restMs ?? 0), stop.signal).then(
      () => false,
      () => false,
    );
    const gone = handle.ended.then(() => true);
    // Who could not be asked does not go by itself.
    const unasked = (asked ?? never).then(
      () => never,
      () => false,
    );
    return Promise.race([gone, late, unasked]).finally(() => stop.abort());
  };

  const endNow = (name: string, { reason = "killed", detail }: EndOfMember) =>
    quietly(name, async () => {
      await kill(name);
      await giveBack(name, "it was ended");
      if (isOutside(memberOf(name))) await record.free(name);
      if (memberOf(name).ended === undefined)
        await record.end(name, { reason, ...(detail !== undefined && { detail }) });
      options.forget(name);
      await putAway(memberOf(name));
      await options.watch().look();
    });

  const giveUp = async (name: string, why: string) => {
    if (closing || leaving.has(name) || starting.has(name)) return;
    await quietly(name, () => kill(name));
    await lose(memberOf(name), why);
    await options.watch().look();
  };

  const respawn = async (name: string): Promise<Member> => {
    if (isOutside(memberOf(name))) throw notOursToStart(name);
    // A member that has said its last word may still be on its way out.
    if (memberOf(name).ended !== undefined) await goneWithin(name, restMs);
    const member = memberOf(name);
    if (running.has(name) || (member.ended === undefined && options.watch().statusOf(name)?.alive === "alive"))
      throw new TroupeError("team", `${name} is there already.`);
    if (starting.has(name) || leaving.has(name)) {
      const what = starting.has(name)
        ? "is being brought back already"
        : "is just being ended: bring it back after that";
      throw new TroupeError("team", `${name} ${what}.`);
    }
    starting.add(name);
    try {
      return await begin(await options.cap(await record.change(name, { ended: null })));
    } catch (error) {
      await giveBack(name, hasEnded);
      await record.end(name, { reason: "lost", detail: messageOf(error) });
      throw error;
    } finally {
      starting.delete(name);
    }
  };

  const rest = async (name: string) => {
    leaving.add(name);
    if (!running.has(name)) return;
    const asked = options.link().send({ to: name, body: { kind: "stop_request", keep: true } });
    if (await goneWithin(name, restMs, asked)) return;
    // Where there is no place for the question, or nobody heeds it.
    await kill(name);
  };

  return {
    begin,
    keep,
    respawn,
    lose,
    hungUp,
    has: (name) => running.has(name),
    settled: async (name) => running.get(name)?.settled?.(),
    folderOf: (name) => running.get(name)?.folder?.(),
    giveUp,
    silent,
    giveBackOfEnded,
    goneWithin,
    endNow,
    async restAll() {
      closing = true;
      const names = [...running.keys()];
      const came = await Promise.allSettled(names.map(rest));
      return came.flatMap((each, index) =>
        each.status === "fulfilled" ? [] : [`${names[index]} could not be brought to rest: ${messageOf(each.reason)}`],
      );
    },
  };
}

const backWords = (back: readonly WorkItem[]) =>
  back.length === 0 ? "" : ` Back on the task list: ${back.map(({ id }) => `#${id}`).join(", ")}.`;

const hasEnded = "its owner has ended";

const never = new Promise<never>(() => undefined);

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
