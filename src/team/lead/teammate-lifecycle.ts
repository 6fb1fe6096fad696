import type { Agent } from "../../agent/index.ts";
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
import type { MailSender } from "../mailbox/mail-sender.ts";
import type { PresenceWatch } from "./presence-watch.ts";
import { externalMemberError } from "../mailbox/external-member-error.ts";
import { createMemberLosses, endedReason } from "./member-losses.ts";
import { createMemberProcesses } from "./member-processes.ts";
import { createMemberTable } from "./member-table.ts";
import { noteLeftBranch } from "../storage/note-left-branch.ts";

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
  /** The tasks that others can claim since it ended. Reading it clears it. */
  takeReleased(name: string): readonly WorkItem[];
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
  readonly lead: Agent;
  readonly sender: MailSender;
  readonly watch: PresenceWatch;
  /** Tells the user, and the lead at its next turn, which this causes. */
  readonly tell: (text: string) => Promise<void>;
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
  const { memberOf, watch } = options;
  const { record } = options.team;
  const table = createMemberTable();
  const { running } = table;
  const losses = createMemberLosses(table, options);
  const processes = createMemberProcesses(table, { ...options, record, losses });
  const { kill, endsWithin } = processes;

  const endNow = (name: string, { reason = "killed", detail }: MemberEnding) =>
    table.whileLeaving(name, async () => {
      await kill(name);
      // First: the next owner of its tasks finds its work on its branch.
      await cleanUpAfter(memberOf(name), options);
      await noteLeftBranch(options.team.tasks, memberOf(name));
      table.released.set(name, await losses.releaseTasks(name, "it was ended"));
      if (isExternal(memberOf(name))) await record.free(name);
      if (memberOf(name).ended === undefined)
        await record.end(name, { reason, ...(detail !== undefined && { detail }) });
      options.forget(name);
      await watch.refresh();
    });

  const abort = async (name: string, cause: string) => {
    if (table.isClosing || table.isInTransit(name)) return;
    await table.whileLeaving(name, () => kill(name));
    await losses.markLost(memberOf(name), cause);
    await watch.refresh();
  };

  const respawn = async (name: string): Promise<Member> => {
    if (isExternal(memberOf(name))) throw externalMemberError(name);
    // A member that has said its last word may still be on its way out.
    if (memberOf(name).ended !== undefined) {
      await endsWithin(name, suspendMs);
      await table.left(name);
    }
    const isAlive = memberOf(name).ended === undefined && watch.statusOf(name)?.alive === "alive";
    if (running.has(name) || isAlive) throw new TroupeError("team", `Cannot respawn ${name}: it is running.`);
    if (table.starting.has(name)) throw new TroupeError("team", `${name} is already being respawned.`);
    if (table.leaving.has(name))
      throw new TroupeError("team", `${name} is shutting down; respawn it when it has stopped.`);
    return table.whileStarting(name, async () => {
      try {
        return await processes.start(await options.cap(await record.change(name, { ended: null })));
      } catch (error) {
        await losses.releaseTasks(name, endedReason);
        await record.end(name, { reason: "lost", detail: messageOf(error) });
        throw error;
      }
    });
  };

  const suspend = async (name: string) => {
    table.leave(name);
    if (!running.has(name)) return;
    const requestSent = options.sender.send({ to: name, body: { kind: "stop_request", keep: true } });
    if (await endsWithin(name, suspendMs, requestSent)) return;
    // The request could not be sent, or the member ignored it.
    await kill(name);
  };

  return {
    ...losses,
    start: processes.start,
    track: processes.track,
    respawn,
    isRunning: (name) => running.has(name),
    settled: async (name) => running.get(name)?.settled?.(),
    takeReleased(name) {
      const tasks = table.released.get(name) ?? [];
      table.released.delete(name);
      return tasks;
    },
    folderOf: (name) => running.get(name)?.folder?.(),
    abort,
    endsWithin,
    endNow,
    async suspendAll() {
      table.close();
      const names = [...running.keys()];
      const results = await Promise.allSettled(names.map(suspend));
      return results.flatMap((each, index) =>
        each.status === "fulfilled" ? [] : [`cannot suspend ${names[index]}: ${messageOf(each.reason)}`],
      );
    },
  };
}

/** Cleans up after a member that did not do it itself. A failure is a warning. */
async function cleanUpAfter(
  member: Member,
  { lead, cleanUp }: Pick<TeammateLifecycleOptions, "lead" | "cleanUp">,
): Promise<void> {
  const warn = (message: string) => lead.record({ type: "notice.raised", level: "warning", code: "worktree", message });
  try {
    for (const problem of await cleanUp(member)) await warn(problem);
  } catch (error) {
    if (!TroupeError.is(error)) throw error;
    await warn(`cannot clean up the worktree of ${member.name}: ${error.message}`);
  }
}
