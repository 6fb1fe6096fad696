import type { Clock, CreateId } from "../platform/index.ts";
import { type BusAddress, openTeamStore, type StoredTeam, type TaskList, type TeamRecord } from "../store/index.ts";
import { withAssignmentMail } from "./mailbox/assign-task.ts";
import type { Mailbox } from "./mailbox/index.ts";
import { sendWithDiskFullRetry } from "./storage/disk-full-retry-team.ts";
import { openMailbox } from "./mailbox/open-mailbox.ts";

/** A team's mail, tasks and record, for any program. It runs no agents. */
export interface OpenTeam {
  /** The name after it was made unique. */
  readonly name: string;
  readonly mailbox: Mailbox;
  /** Assigning a task requires a running member and sends it a mail. */
  readonly tasks: TaskList;
  readonly record: TeamRecord;
  /** Ends all followers and waiters. */
  close(): Promise<void>;
}

export interface OpenTeamOptions {
  /** The validated state folder. */
  readonly home: string;
  readonly clock: Clock;
  readonly createId: CreateId;
  /** The bus that stores the team, if not files on this machine. */
  readonly bus?: BusAddress | undefined;
  /** The folder of Claude Code, if the team is stored in its files. */
  readonly claudeFolder?: string | undefined;
}

export interface CreateTeamOptions extends OpenTeamOptions {
  readonly description?: string | undefined;
  /** Names of external members, which Troupe does not run. */
  readonly members?: readonly string[] | undefined;
  readonly cwd: string;
}

/** Creates a team. A name that is taken gets a number. */
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

/** Rejects with `team` if there is no team of that name. */
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
