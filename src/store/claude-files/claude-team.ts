import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Clock, closeAll, type CreateId, createFolderWatcher, currentProcess } from "../../platform/index.ts";
import { type Mail, TroupeError } from "../../protocol/index.ts";
import type { Inbox } from "../team/inbox/inbox.ts";
import { openMailFiles } from "../team/inbox/mail-files.ts";
import { createPresence } from "../team/presence/file-presence.ts";
import { createTaskList } from "../team/tasks/journal-task-list.ts";
import { filesIn } from "../team/team-files.ts";
import { createRecord } from "../team/record/journal-team-record.ts";
import type { StoredTeam } from "../team/team-store.ts";
import { openClaudeInbox } from "./claude-inbox.ts";
import { createClaudePresence } from "./claude-presence.ts";
import { openConfigJournal } from "./config-journal.ts";
import { openClaudeRequests } from "./claude-requests.ts";
import { createSharedJson } from "./shared-json.ts";
import { openTaskJournal } from "./task-journal.ts";
import type { PresenceTimes } from "../team/presence/presence-times.ts";

export interface ClaudeTeamOptions extends PresenceTimes {
  readonly name: string;
  /** Claude Code's folder of the team, and of its tasks. */
  readonly folder: string;
  readonly tasks: string;
  /** Troupe's own folder of the team. */
  readonly own: string;
  readonly clock: Clock;
  readonly createId: CreateId;
  readonly waitMs: number;
  readonly staleMs: number;
}

/** A team in Claude Code's files. Data that those files cannot hold is in our own files. */
export function openClaudeTeam(options: ClaudeTeamOptions): StoredTeam {
  const { name, clock, createId, waitMs, staleMs } = options;
  const watcher = createFolderWatcher({ rescanMs: 500 });
  const files = filesIn(options.own);
  const damage: string[] = [];
  const onDamage = (path: string, aside: string) => {
    damage.push(`${path} was damaged: the unreadable part is in ${aside}`);
  };
  const json = createSharedJson({ clock, waitMs, staleMs, onDamage });
  const config = join(options.folder, "config.json");
  const journal = openConfigJournal({ config, own: join(options.own, "own.json"), json, clock, watcher });
  const keys = { join: async () => undefined, keyOf: async () => undefined };
  const record = createRecord(journal, { clock, where: config, keys });
  const ownPresence = createPresence({ ...options, owner: currentProcess(), folder: files.presence });
  const now = () => clock.now();
  const presence = createClaudePresence({ own: ownPresence, isOurs: journal.isOurs, config: journal.config, now });
  const assertThere = () => {
    if (!existsSync(config)) throw new TroupeError("storage", `${config} no longer exists: the team was deleted.`);
  };
  const numbers = join(options.own, "highest-task");
  const taskJournal = openTaskJournal({ folder: options.tasks, numbers, assertThere, json, clock, watcher });
  const tasks = createTaskList(taskJournal, clock);
  const mail = openMailFiles({ team: name, files, watcher, clock, createId });
  const context = { requests: openClaudeRequests(join(options.own, "requests.jsonl")), team: name, now };
  const ended = new AbortController();
  const inboxes = new Map<string, Inbox>();

  const inbox = (member: string): Inbox => {
    const known = inboxes.get(member) ?? openInbox(member);
    inboxes.set(member, known);
    return known;
  };

  const openInbox = (member: string): Inbox =>
    openClaudeInbox({
      member,
      path: join(options.folder, "inboxes", `${checkedName(member)}.json`),
      own: mail.inbox(member),
      bodies: mail.bodies,
      json,
      context,
      watcher,
      isOurs: journal.isOurs,
      onMail,
      takeDamage: () => damage.splice(0),
      closed: ended.signal,
    });

  /** A member that agreed to end does so by itself. If we lead the team, we remove it from the team. */
  const onMail = async (each: Mail, way: "in" | "out") => {
    presence.noteMail(each, way);
    if (way === "out" || each.body.kind !== "shutdown_approved" || !journal.isMade()) return;
    const member = record.current().members.find((other) => other.name === each.from);
    if (member?.backendType === "remote" && !member.ended) await record.end(each.from, { reason: "shutdown" });
  };

  const close = async () => {
    ended.abort();
    await closeAll([record.close, tasks.close, presence.close, mail.close, () => watcher.close()]);
  };

  return {
    name,
    record: { ...record, problems: () => [...record.problems(), ...damage] },
    tasks,
    presence,
    inbox,
    bodies: mail.bodies,
    isUnsigned: true,
    reportsIdle: (member) => !journal.isOurs(member),
    close,
  };
}

/** The name comes from a file that others write: it must not point outside the folder. */
export function checkedName(name: string): string {
  if (/^[^./\\\0][^/\\\0]*$/u.test(name) && name.length <= 200) return name;
  throw new TroupeError("team", `${JSON.stringify(name.slice(0, 100))} is not a valid file name.`);
}
