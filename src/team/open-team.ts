import type { Clock, CreateId } from "../platform/index.ts";
import { type BusAddress, openTeamStore, type StoredTeam, type TaskList, type TeamRecord } from "../store/index.ts";
import { withAssignmentMail } from "./lead/assign-task.ts";
import type { Mailbox } from "./mailbox/index.ts";
import { sendWithDiskFullRetry } from "./storage/disk-full-retry-team.ts";
import { openMailbox } from "./mailbox/open-mailbox.ts";

/** A team's mail, tasks and record, for any program. Agents are not part of it. */
export interface OpenTeam {
  /** As it was made unique. */
  readonly name: string;
  readonly mailbox: Mailbox;
  /** A task is given only to somebody who is there, and that one is told by mail. */
  readonly tasks: TaskList;
  readonly record: TeamRecord;
  /** Ends who follows or waits. */
  close(): Promise<void>;
}

export interface OpenTeamOptions {
  /** The checked state folder. */
  readonly home: string;
  readonly clock: Clock;
  readonly createId: CreateId;
  /** Where the team is, if not in files of this machine. */
  readonly bus?: BusAddress | undefined;
  /** The folder of Claude Code, if the team is one in its files. */
  readonly claudeFolder?: string | undefined;
}

export interface CreateTeamOptions extends OpenTeamOptions {
  readonly description?: string | undefined;
  /** Names of members that other programs speak for: Troupe runs none of them. */
  readonly members?: readonly string[] | undefined;
  readonly cwd: string;
}

/** A new team; a name that is taken gets a number. */
export async function createTeam(name: string, options: CreateTeamOptions): Promise<OpenTeam> {
  const { description, members = [], cwd } = options;
  const store = openTeamStore(options);
  const stored = await store.create({ name, description, cwd });
  try {
    for (const member of members) await stored.record.join({ name: member, cwd, backendType: "remote" });
    return withMailbox(stored, options);
  } catch (error) {
    await stored.close();
    await store.delete(stored.name, { force: true });
    throw error;
  }
}

/** Rejects with `team` if there is none of that name. */
export async function openTeam(name: string, options: OpenTeamOptions): Promise<OpenTeam> {
  return withMailbox(await openTeamStore(options).open(name), options);
}

function withMailbox(stored: StoredTeam, { clock, createId }: OpenTeamOptions): OpenTeam {
  const { name, record } = stored;
  const mailbox = openMailbox(stored, { clock, createId });
  const over = new AbortController();
  const send = sendWithDiskFullRetry(mailbox, { clock, createId, signal: over.signal });
  const close = async () => {
    over.abort();
    await mailbox.close();
    await stored.close();
  };
  const members = async () => (await record.read()).members;
  return { name, mailbox, tasks: withAssignmentMail(stored.tasks, { team: name, members, send }), record, close };
}
