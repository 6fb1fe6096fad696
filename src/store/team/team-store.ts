import type { Team } from "../../protocol/index.ts";
import type { Inbox, MailBodies } from "./inbox/inbox.ts";
import type { Presence } from "./presence/presence.ts";
import type { TaskList } from "./tasks/task-list.ts";
import type { TeamEvents } from "./team-events.ts";
import type { TeamRecord } from "./record/team-record.ts";

/** The teams of one home. */
export interface TeamStore {
  /** Makes the name unique: a second `parser` becomes `parser-2`. The lead is the first member. */
  create(team: NewTeam): Promise<StoredTeam>;
  /** Rejects with `team` and names the nearest match and all teams. Each call returns a separate object to close. */
  open(name: string): Promise<StoredTeam>;
  /** By name. A team with an unreadable record is listed with its problem. */
  list(): Promise<readonly TeamSummary[]>;
  /**
   * Rejects with `team` and names the members that may be alive and have not ended, unless `force` is set. `except`
   * names the member that asks.
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
  /** The unique name. */
  readonly name: string;
  readonly record: TeamRecord;
  readonly tasks: TaskList;
  readonly presence: Presence;
  /** Returns the same object for the same member. Creates nothing. */
  inbox(member: string): Inbox;
  readonly bodies: MailBodies;
  /** Events of agents on other machines. Undefined if all agents and their logs are on this machine. */
  readonly events?: TeamEvents | undefined;
  /** Its mail cannot be signed. Every process that can write it is trusted, within the rights of each sender. */
  readonly isUnsigned?: true;
  /** For an external member: true if it reports when it becomes idle, so that others can wait for it. */
  readonly reportsIdle?: (member: string) => boolean;
  close(): Promise<void>;
}

export interface TeamSummary {
  readonly name: string;
  readonly team?: Team;
  readonly problem?: string;
}
