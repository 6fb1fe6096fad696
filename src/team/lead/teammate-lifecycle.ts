import { type Agent, escapeTags } from "../../agent/index.ts";
import type { Clock } from "../../platform/index.ts";
import { type BackendType, isExternal, type Member, TroupeError, type WorkItem } from "../../protocol/index.ts";
import type { StoredTeam } from "../../store/index.ts";
import type { Backend, RunningMember } from "../backend/backend.ts";
import type { InboxConsumer } from "../mailbox/inbox-consumer.ts";
import type { PresenceWatch } from "./presence-watch.ts";
import { externalMemberError } from "./external-member-error.ts";

/** The lives of a team's members as their lead has them in hand: begun, brought back, lost, ended, sent to rest. */
export interface TeammateLifecycle {
  start(member: Member): Promise<Member>;
  /** One that was there before this lead was. */
  track(member: Member, started: RunningMember): void;
  respawn(name: string): Promise<Member>;
  /** Its process is gone, and it did not say so. */
  markLost(member: Member, cause: string): Promise<void>;
  /**
   * The same of one whom another program runs: it may come back, so it stays in the team, and its mail and its
   * reservations wait. `wasSeen`: it was there before, which makes it news.
   */
  disconnected(member: Member, how: { readonly wasSeen: boolean }): Promise<void>;
  /** Whether its process is in hand. */
  isRunning(name: string): boolean;
  /** Resolves when what it has done so far is where its lead can see it. */
  settled(name: string): Promise<void>;
  /** Where it works, if that is on another machine. */
  folderOf(name: string): string | undefined;
  /** Ends one that shows no sign of life: it is lost, as if its process were gone. */
  abort(name: string, cause: string): Promise<void>;
  /** It gives no sign: others may take up what it has begun. What is only meant for it stays its own. */
  onSilent(name: string): Promise<void>;
  /** What those have in hand goes back who have ended: whoever put that down may have died before this. Gives what is to be told. */
  releaseTasksOfEnded(): Promise<readonly string[]>;
  /** Resolves when it is no longer there; false when it still is after that long. */
  endsWithin(name: string, ms: number): Promise<boolean>;
  /** Ends it without asking; what it had in hand goes back. Whom another program runs is only taken out of the team. */
  endNow(name: string, end: MemberEnding): Promise<void>;
  /** All of them, at once; from here on nobody who goes is lost. Gives what went wrong with any of them. */
  suspendAll(): Promise<readonly string[]>;
}

export interface MemberEnding {
  /** `killed` if nothing is said. */
  readonly reason?: "killed" | "shutdown" | undefined;
  readonly detail: string | undefined;
}

export interface TeammateLifecycleOptions {
  readonly team: Pick<StoredTeam, "name" | "record" | "tasks">;
  readonly lead: () => Agent;
  readonly link: () => InboxConsumer;
  readonly watch: () => PresenceWatch;
  /** Rejects with a TroupeError where there is no such thing here. */
  readonly backend: (type: BackendType) => Promise<Backend>;
  /** Throws a TroupeError for a name that nobody has. */
  readonly memberOf: (name: string) => Member;
  /** The member with no more rights than its lead has by now. */
  readonly cap: (member: Member) => Promise<Member>;
  /** Nobody waits for answers to its questions any more. */
  readonly forget: (name: string) => void;
  /** Puts in order what a member leaves behind that was ended from outside. */
  readonly cleanUp: (member: Member) => Promise<readonly string[]>;
  readonly clock: Clock;
}

/** How long a member that was told to rest may take to do so. */
export const suspendMs = 5_000;

export function createTeammateLifecycle(options: TeammateLifecycleOptions): TeammateLifecycle {
  const { team, lead, memberOf, clock } = options;
  const { record } = team;
  const running = new Map<string, RunningMember>();
  /** Being ended by us: that it is gone is no news. */
  const leaving = new Set<string>();
  /** Being brought back: what is left of its earlier life says nothing. */
  const starting = new Set<string>();
  let closing = false;

  /** Somebody is gone who did not say so: what it had in hand goes back, and the lead hears of it. */
  const markLost = async (member: Member, cause: string) => {
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
      const released = await releaseTasks(member.name, cause);
      await record.end(member.name, { reason: "lost", detail: cause });
      options.forget(member.name);
      const tasks = releasedText(released);
      await notifyLead(
        `Your teammate ${member.name} is gone: ${cause}.${tasks} The user can bring it back with 'troupe team respawn ${team.name} ${member.name}'; what it has done so far is in its transcript.`,
      );
    } finally {
      leaving.delete(member.name);
    }
  };

  const disconnected = async ({ name }: Member, { wasSeen }: { readonly wasSeen: boolean }) => {
    if (closing || leaving.has(name)) return;
    options.forget(name);
    const released = await releaseTasks(name, "its program is gone");
    if (!wasSeen && released.length === 0) return;
    await notifyLead(
      `${name}, which another program runs, is gone.${releasedText(released)} It is still in the team: it may come back by itself, and mail to it waits until then.`,
    );
  };

  const notifyLead = async (text: string) => {
    await lead().record({ type: "notice.raised", level: "warning", code: "member", message: text });
    await lead().admit("agent", [{ type: "text", text: escapeTags(text) }]);
    lead().wake();
  };

  const releaseTasks = (name: string, cause: string) =>
    team.tasks.releaseGone(async (owner) => (owner.name === name ? cause : undefined));

  const releaseTasksOfEnded = async () => {
    const ended = new Set(record.current().members.flatMap((member) => (member.ended ? [member.name] : [])));
    const released = await team.tasks.releaseGone(async ({ name }) => (ended.has(name) ? endedReason : undefined));
    return released.length === 0
      ? []
      : [`Some tasks were still those of members who have ended.${releasedText(released)}`];
  };

  const onSilent = async (name: string) => {
    const cause = "its owner gives no sign";
    const released = await team.tasks.releaseGone(async (owner) =>
      owner.name === name && owner.holder !== undefined ? cause : undefined,
    );
    if (released.length === 0) return;
    const message = `Your teammate ${name} gives no sign.${releasedText(released)} If it comes back it is told that they are no longer its own.`;
    await lead().record({ type: "notice.raised", level: "warning", code: "member", message });
  };

  const track = (member: Member, started: RunningMember) => {
    running.set(member.name, started);
    started.ended
      .then(async (cause) => {
        if (running.get(member.name) === started) running.delete(member.name);
        if (leaving.has(member.name)) return;
        if (cause !== undefined) await markLost(member, cause);
        if (!closing) await options.watch().refresh();
      })
      .catch((error: unknown) => void lead().fail(error));
  };

  const start = async (member: Member): Promise<Member> => {
    const backend = await options.backend(member.backendType);
    const started = await backend.start(member);
    track(member, started);
    const { pane } = started;
    if (!pane) return member;
    try {
      return await record.change(member.name, { pane, tmuxPaneId: pane.paneId });
    } catch (error) {
      // Nobody would find it again: a pane that the record does not know is closed.
      await whileLeaving(member.name, () => kill(member.name));
      throw error;
    }
  };

  /** That it goes is no news while this is done. */
  const whileLeaving = async (name: string, work: () => Promise<void>) => {
    leaving.add(name);
    try {
      await work();
    } finally {
      leaving.delete(name);
    }
  };

  const cleanUp = async (member: Member) => {
    const warn = (message: string) =>
      lead().record({ type: "notice.raised", level: "warning", code: "worktree", message });
    try {
      for (const problem of await options.cleanUp(member)) await warn(problem);
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
    isExternal(member) ? undefined : (await options.backend(member.backendType)).attach(member);

  /** Resolves when it is no longer there; false when it still is after that long. */
  const endsWithin = async (name: string, ms: number, requestSent?: Promise<unknown>): Promise<boolean> => {
    const handle = running.get(name);
    if (!handle) return true;
    const stop = new AbortController();
    const late = clock.sleep(Math.max(ms, handle.suspendMs ?? 0), stop.signal).then(
      () => false,
      () => false,
    );
    const gone = handle.ended.then(() => true);
    // Who could not be asked does not go by itself.
    const requestFailed = (requestSent ?? never).then(
      () => never,
      () => false,
    );
    return Promise.race([gone, late, requestFailed]).finally(() => stop.abort());
  };

  const endNow = (name: string, { reason = "killed", detail }: MemberEnding) =>
    whileLeaving(name, async () => {
      await kill(name);
      await releaseTasks(name, "it was ended");
      if (isExternal(memberOf(name))) await record.free(name);
      if (memberOf(name).ended === undefined)
        await record.end(name, { reason, ...(detail !== undefined && { detail }) });
      options.forget(name);
      await cleanUp(memberOf(name));
      await options.watch().refresh();
    });

  const abort = async (name: string, cause: string) => {
    if (closing || leaving.has(name) || starting.has(name)) return;
    await whileLeaving(name, () => kill(name));
    await markLost(memberOf(name), cause);
    await options.watch().refresh();
  };

  const respawn = async (name: string): Promise<Member> => {
    if (isExternal(memberOf(name))) throw externalMemberError(name);
    // A member that has said its last word may still be on its way out.
    if (memberOf(name).ended !== undefined) await endsWithin(name, suspendMs);
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
      return await start(await options.cap(await record.change(name, { ended: null })));
    } catch (error) {
      await releaseTasks(name, endedReason);
      await record.end(name, { reason: "lost", detail: messageOf(error) });
      throw error;
    } finally {
      starting.delete(name);
    }
  };

  const suspend = async (name: string) => {
    leaving.add(name);
    if (!running.has(name)) return;
    const requestSent = options.link().send({ to: name, body: { kind: "stop_request", keep: true } });
    if (await endsWithin(name, suspendMs, requestSent)) return;
    // Where there is no place for the question, or nobody heeds it.
    await kill(name);
  };

  return {
    start,
    track,
    respawn,
    markLost,
    disconnected,
    isRunning: (name) => running.has(name),
    settled: async (name) => running.get(name)?.settled?.(),
    folderOf: (name) => running.get(name)?.folder?.(),
    abort,
    onSilent,
    releaseTasksOfEnded,
    endsWithin,
    endNow,
    async suspendAll() {
      closing = true;
      const names = [...running.keys()];
      const results = await Promise.allSettled(names.map(suspend));
      return results.flatMap((each, index) =>
        each.status === "fulfilled" ? [] : [`${names[index]} could not be brought to rest: ${messageOf(each.reason)}`],
      );
    },
  };
}

const releasedText = (released: readonly WorkItem[]) =>
  released.length === 0 ? "" : ` Back on the task list: ${released.map(({ id }) => `#${id}`).join(", ")}.`;

const endedReason = "its owner has ended";

const never = new Promise<never>(() => undefined);

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
