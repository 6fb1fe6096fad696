import { join } from "node:path";
import type { CreateId } from "../../platform/index.ts";
import { createTaskList, taskFold } from "../team/tasks/journal-task-list.ts";
import { teamFold } from "../team/record/team-fold.ts";
import type { StoredTeam } from "../team/team-store.ts";
import { openBusBodies } from "./inbox/bus-mail-bodies.ts";
import { openBusEvents, subjectOfLane } from "./bus-team-events.ts";
import { openBusInbox } from "./inbox/bus-inbox.ts";
import { openBusJournal } from "./journal/bus-journal.ts";
import { createBusPresence } from "./presence/bus-presence.ts";
import { createBusRecord } from "./record/bus-team-record.ts";
import { storeLaunchLocally } from "./record/store-launch-locally.ts";
import { openOutbox } from "./outbox/outbox.ts";
import { openPresenceMessages } from "./presence/presence-messages.ts";
import { bucketName, teamSubjects } from "./team-subjects.ts";
import type { PresenceTimes } from "../team/presence/presence-times.ts";
import type { StreamContext } from "./connection/stream-context.ts";

export interface BusTeamOptions extends StreamContext, Required<StoreSizes & PresenceTimes> {
  readonly name: string;
  /** The team's files on this machine: outboxes, signing keys, downloaded bodies. */
  readonly folder: string;
  readonly createId: CreateId;
  readonly replicas: number;
}

export interface StoreSizes {
  /** The record, the task list and inboxes are compacted above this size. This much read mail stays in an inbox. */
  readonly limitBytes?: number;
  readonly keepRead?: number;
}

export async function openBusTeam(options: BusTeamOptions): Promise<StoredTeam> {
  const { name, stream, folder, clock, waitMs } = options;
  const subjects = teamSubjects(name);
  const subjectOf = (to: string) => subjectOfLane(to, subjects);
  const ended = new AbortController();
  const opened: { close(): Promise<unknown> }[] = [];
  const keep = <T extends { close(): Promise<unknown> }>(part: T): T => {
    opened.unshift(part);
    return part;
  };
  const close = async () => {
    ended.abort();
    for (const part of opened.splice(0)) await part.close();
  };

  try {
    const journal = keep(await openBusJournal(teamFold, { ...options, subject: subjects.team }));
    const journalOptions = { clock, subject: subjects.team, keysFolder: join(folder, "keys") };
    const record = await storeLaunchLocally(createBusRecord(journal, journalOptions), join(folder, "launch"));
    const tasks = createTaskList(keep(await openBusJournal(taskFold, { ...options, subject: subjects.tasks })), clock);
    const presenceMessages = keep(await openPresenceMessages({ ...options, subjects }));
    const presence = keep(createBusPresence({ ...options, presenceMessages, subjects }));
    const outbox = keep(openOutbox({ ...options, folder: join(folder, "outbox"), subjectOf }));
    const bodies = openBusBodies({
      ...options,
      bucket: bucketName(stream),
      folder: join(folder, "bodies"),
      patience: { clock, waitMs, signal: ended.signal },
    });
    const inboxes = new Map<string, ReturnType<typeof openBusInbox>>();
    const inbox = (member: string) => {
      const known = inboxes.get(member);
      if (known !== undefined) return known;
      const made = openBusInbox({
        ...options,
        member,
        subjects,
        presenceMessages,
        outbox,
        folder: join(folder, "damaged"),
        fetchBodies: (mails) => bodies.fetch(mails),
        closed: ended.signal,
      });
      inboxes.set(member, keep(made));
      return made;
    };
    const events = openBusEvents({ ...options, subjects, outbox, closed: ended.signal });
    return { name, record, tasks, presence, inbox, bodies, events, close };
  } catch (error) {
    await close();
    throw error;
  }
}
