import { createHash } from "node:crypto";
import { type Clock, closeAll, type ProcessIdentity, safeName } from "../../platform/index.ts";
import { TroupeError } from "../../protocol/index.ts";
import type { Inbox, MailBodies } from "../team/inbox/inbox.ts";
import { createRecord, newTeamSnapshot } from "../team/record/journal-team-record.ts";
import type { MemberKey } from "../team/record/team-record.ts";
import { teamFold } from "../team/record/team-fold.ts";
import { createTaskList, taskFold } from "../team/tasks/journal-task-list.ts";
import { inboxFile, teamFiles } from "../team/team-files.ts";
import type { NewTeam, StoredTeam } from "../team/team-store.ts";
import type { MemoryClaims } from "./memory-claims.ts";
import { createMemoryInbox, type MemoryInbox } from "./memory-inbox.ts";
import type { MemoryIo } from "./memory-io.ts";
import { createMemoryJournal } from "./memory-journal.ts";
import { createMemoryPresence } from "./memory-presence.ts";

/** The data of one team, for all processes. */
export interface MemoryTeam {
  /** A separate handle for each user. */
  open(process: TeamUser): StoredTeam;
  /** Later writes are rejected. */
  remove(): void;
}

export interface TeamUser {
  readonly io: MemoryIo;
  readonly identity: ProcessIdentity;
  readonly clock: Clock;
}

export interface MemoryTeamOptions {
  readonly home: string;
  readonly clock: Clock;
  readonly leaseMs: number;
  readonly claims: MemoryClaims;
}

export function createMemoryTeam(team: NewTeam, { home, clock, leaseMs, claims }: MemoryTeamOptions): MemoryTeam {
  const { name } = team;
  const files = teamFiles(home, name);
  const snapshot = JSON.parse(JSON.stringify(newTeamSnapshot(team, clock))) as unknown;
  const records = createMemoryJournal(teamFold, { path: files.record, snapshot });
  const taskEntries = createMemoryJournal(taskFold, { path: files.tasks });
  const presences = createMemoryPresence({ path: files.presence, clock, leaseMs });
  const inboxes = new Map<string, MemoryInbox>();
  const texts = new Map<string, string>();

  const inboxOf = (member: string): MemoryInbox => {
    const known =
      inboxes.get(member) ?? createMemoryInbox({ team: name, member, path: inboxFile(files, member), claims });
    inboxes.set(member, known);
    return known;
  };

  const keyOf = async (member: string): Promise<MemberKey> => ({ type: "secret", secret: secretOf(name, member) });

  const open = ({ io, identity, clock: own }: TeamUser): StoredTeam => {
    const keys = { join: async () => undefined, keyOf };
    const record = createRecord(records.open(io), { clock: own, where: files.record, keys });
    const tasks = createTaskList(taskEntries.open(io), own);
    const presence = presences.open(io, identity);
    const opened = new Map<string, Inbox>();
    const ended = new AbortController();
    const inbox = (member: string): Inbox => {
      const known = opened.get(member) ?? inboxOf(member).open(io, ended.signal);
      opened.set(member, known);
      return known;
    };
    const close = () => {
      ended.abort();
      return closeAll([record.close, tasks.close, presence.close]);
    };
    return { name, record, tasks, presence, inbox, bodies: openBodies(files.bodies, { io, texts }), close };
  };

  const remove = () => {
    for (const part of [records, taskEntries, ...inboxes.values()]) part.remove();
  };

  return { open, remove };
}

/** The same in every run. It protects nothing: all processes of a world share one memory. */
const secretOf = (team: string, member: string): Uint8Array =>
  createHash("sha256")
    .update(JSON.stringify([team, member]))
    .digest();

function openBodies(
  folder: string,
  { io, texts }: { readonly io: MemoryIo; readonly texts: Map<string, string> },
): MailBodies {
  const pathOf = (name: string) =>
    /^mail_[0-9a-z]{8,40}\.txt$/.test(name) ? `${folder}/${safeName(name)}` : undefined;
  return {
    pathOf,
    save: (id, text) =>
      io.turn((append) => {
        const name = `${id}.txt`;
        append(`${folder}/${name}`, [text], (saved) => texts.set(name, saved));
        return name;
      }),
    read: (name) =>
      io.turn(() => {
        const text = texts.get(name);
        if (text === undefined) throw new TroupeError("mail", `${JSON.stringify(name)} is not a mail body.`);
        return text;
      }),
  };
}
