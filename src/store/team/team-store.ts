import type { Team } from "../../protocol/index.ts";
import type { Inbox, MailBodies } from "./inbox/inbox.ts";
import type { Presence } from "./presence/presence.ts";
import type { TaskList } from "./tasks/task-list.ts";
import type { TeamEvents } from "./team-events.ts";
import type { TeamRecord } from "./record/team-record.ts";

/** The teams of one home. */
export interface TeamStore {
  /** The name is made unique: a second `parser` becomes `parser-2`. The lead is its first member. */
  create(team: NewTeam): Promise<StoredTeam>;
  /** Rejects with `team`, naming the nearest and those there are. Each call gives an object of its own to close. */
  open(name: string): Promise<StoredTeam>;
  /** By name. A team whose record cannot be read is listed with its problem. */
  list(): Promise<readonly TeamSummary[]>;
  /**
   * Rejects with `team` while members may be alive and have not ended, naming them, unless told to `force`. `except`:
   * who asks, and is one of them.
   */
  delete(name: string, options?: { readonly force?: boolean; readonly except?: readonly string[] }): Promise<void>;
}

export interface NewTeam {
  readonly name: string;
  readonly description?: string | undefined;
  readonly leadSessionId?: Team["leadSessionId"];
  readonly leadColor?: Team["members"][number]["color"];
  readonly cwd: string;
}

export interface StoredTeam {
  /** As it was made unique. */
  readonly name: string;
  readonly record: TeamRecord;
  readonly tasks: TaskList;
  readonly presence: Presence;
  /** The same object for the same member; makes nothing. */
  inbox(member: string): Inbox;
  readonly bodies: MailBodies;
  /** Of agents on other machines; undefined where all are on this one, and their logs too. */
  readonly events?: TeamEvents | undefined;
  /** Its mail has no place for signatures: who can write it is believed, within what each may send. */
  readonly isUnsigned?: true;
  /** Of a member that another program runs: whether it tells when it has nothing more to do, so that it can be waited for. */
  readonly reportsIdle?: (member: string) => boolean;
  close(): Promise<void>;
}

export interface TeamSummary {
  readonly name: string;
  readonly team?: Team;
  readonly problem?: string;
}
