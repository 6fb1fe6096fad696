import { type Agent, escapeTags } from "../../agent/index.ts";
import type { Clock } from "../../platform/index.ts";
import {
  type BackendType,
  isExternal,
  type Member,
  messageOf,
  TroupeError,
  type WorkItem,
} from "../../protocol/index.ts";
import type { StoredTeam } from "../../store/index.ts";
import type { Backend, RunningMember } from "../backend/backend.ts";
import type { InboxConsumer } from "../mailbox/inbox-consumer.ts";
import type { PresenceWatch } from "./presence-watch.ts";
import { externalMemberError } from "./external-member-error.ts";

/** The lifecycle of a team's members, run by their lead: start, respawn, loss, end and suspend. */
export interface TeammateLifecycle {
  start(member: Member): Promise<Member>;
  /** Tracks a member that was running before this lead. */
  track(member: Member, started: RunningMember): void;
  respawn(name: string): Promise<Member>;
  /** Handles a process that is gone without having said so. */
  markLost(member: Member, cause: string): Promise<void>;
  /**
   * Handles a lost external member. It may come back, so it stays in the team, and its mail and reservations wait.
   * `wasSeen`: it was running before, so the lead is notified.
   */
  disconnected(member: Member, how: { readonly wasSeen: boolean }): Promise<void>;
  /** True if this lead tracks its process. */
  isRunning(name: string): boolean;
  /** Resolves when the lead can see all that the member has done so far. */
  settled(name: string): Promise<void>;
  /** Its working directory, if on another machine. */
  folderOf(name: string): string | undefined;
  /** Ends a member that shows no sign of life and treats it as lost. */
  abort(name: string, cause: string): Promise<void>;
  /** Lets others claim the tasks that a silent member has begun. Tasks only assigned to it stay its own. */
  onSilent(name: string): Promise<void>;
  /** Releases the tasks of ended members, in case a previous lead crashed before it did. Returns notices. */
  releaseTasksOfEnded(): Promise<readonly string[]>;
  /** Resolves to true when the member is gone, or false after `ms`. */
  endsWithin(name: string, ms: number): Promise<boolean>;
  /** Ends a member without asking and releases its tasks. An external member is only removed from the team. */
  endNow(name: string, end: MemberEnding): Promise<void>;
  /** Suspends all members at once. From then on a member that ends is not lost. Returns what failed. */
  suspendAll(): Promise<readonly string[]>;
}

export interface MemberEnding {
  /** Default: `killed`. */
  readonly reason?: "killed" | "shutdown" | undefined;
  readonly detail: string | undefined;
}

export interface TeammateLifecycleOptions {
  readonly team: Pick<StoredTeam, "name" | "record" | "tasks">;
  readonly lead: () => Agent;
  readonly link: () => InboxConsumer;
  readonly watch: () => PresenceWatch;
  /** Rejects with a TroupeError if the backend is not available here. */
  readonly backend: (type: BackendType) => Promise<Backend>;
  /** Throws a TroupeError for an unknown name. */
  readonly memberOf: (name: string) => Member;
  /** The member with no more permissions than its lead has now. */
  readonly cap: (member: Member) => Promise<Member>;
  /** Drops the member's open requests. */
  readonly forget: (name: string) => void;
  /** Cleans up after a member that was ended without its cooperation. */
  readonly cleanUp: (member: Member) => Promise<readonly string[]>;
  readonly clock: Clock;
}

/** How long a member may take to suspend. */
export const suspendMs = 5_000;

export function createTeammateLifecycle(options: TeammateLifecycleOptions): TeammateLifecycle {
  const { team, lead, memberOf, clock } = options;
  const { record } = team;
  const running = new Map<string, RunningMember>();
  /** Members that this lead is ending, so that their end is not reported. */
  const leaving = new Set<string>();
  /** Members being respawned, so that traces of their previous run do not count. */
  const starting = new Set<string>();
  let closing = false;

  /** Records a member that is gone without having said so, releases its tasks and notifies the lead. */
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
      // Release tasks before recording the end: ended members are not checked for tasks.
      const released = await releaseTasks(member.name, cause);
      await record.end(member.name, { reason: "lost", detail: cause });
      options.forget(member.name);
      const tasks = releasedText(released);
      await notifyLead(
        `Your teammate ${member.name} is gone: ${cause}.${tasks} The user can bring it back with 'troupe team respawn ${team.name} ${member.name}'. Its work so far is in its transcript.`,
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
      `${name}, an external member, is gone.${releasedText(released)} It stays in the team and may come back by itself; its mail waits.`,
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
      : [`Some tasks were still owned by members that have ended.${releasedText(released)}`];
  };

  const onSilent = async (name: string) => {
    const cause = "its owner does not respond";
    const released = await team.tasks.releaseGone(async (owner) =>
      owner.name === name && owner.holder !== undefined ? cause : undefined,
    );
    if (released.length === 0) return;
    const message = `Your teammate ${name} does not respond.${releasedText(released)} If it comes back, it is notified that it no longer owns them.`;
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
      // Close a pane that the record does not know: no lead could find it again.
      await whileLeaving(member.name, () => kill(member.name));
      throw error;
    }
  };

  /** Its end is not reported while `work` runs. */
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
      await warn(`cannot clean up the worktree of ${member.name}: ${error.message}`);
    }
  };

  /** Ends a member that runs here, whatever its record says. */
  const kill = async (name: string) => {
    const handle = running.get(name) ?? (await attached(memberOf(name)));
    await handle?.kill();
    running.delete(name);
  };

  /** Troupe does not end programs of external members. */
  const attached = async (member: Member) =>
    isExternal(member) ? undefined : (await options.backend(member.backendType)).attach(member);

  const endsWithin = async (name: string, ms: number, requestSent?: Promise<unknown>): Promise<boolean> => {
    const handle = running.get(name);
    if (!handle) return true;
    const stop = new AbortController();
    const late = clock.sleep(Math.max(ms, handle.suspendMs ?? 0), stop.signal).then(
      () => false,
      () => false,
    );
    const gone = handle.ended.then(() => true);
    // A member that could not be asked does not end by itself.
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
      throw new TroupeError("team", `Cannot respawn ${name}: it is running.`);
    if (starting.has(name) || leaving.has(name)) {
      const what = starting.has(name)
        ? "is already being respawned"
        : "is shutting down; respawn it when it has stopped";
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
    // The request could not be sent, or the member ignored it.
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
        each.status === "fulfilled" ? [] : [`cannot suspend ${names[index]}: ${messageOf(each.reason)}`],
      );
    },
  };
}

const releasedText = (released: readonly WorkItem[]) =>
  released.length === 0 ? "" : ` Released to the task list: ${released.map(({ id }) => `#${id}`).join(", ")}.`;

const endedReason = "its owner has ended";

const never = new Promise<never>(() => undefined);
