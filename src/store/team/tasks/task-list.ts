import type { ProcessIdentity } from "../../../platform/index.ts";
import type { AcceptanceCheck, OwnerWords, WorkItem, WorkItemId, WorkItemStatus } from "../../../protocol/index.ts";

/**
 * A task list that any number of processes share. The position of a write in the common order decides its result: of
 * two claims the first wins, for all processes. Rejects only if the list cannot be read or written.
 */
export interface TaskList {
  create(task: NewTask, by: TaskActor): Promise<TaskAnswer>;
  get(id: WorkItemId): Promise<WorkItem | undefined>;
  /** By id, without deleted tasks. */
  list(): Promise<readonly WorkItem[]>;
  /** Applies the whole patch or nothing. A status of `in_progress` on a task without an owner is a claim. */
  update(id: WorkItemId, patch: TaskPatch, by: TaskActor): Promise<TaskAnswer>;
  /**
   * The task must be pending, not blocked and not owned by another member. The claimer must have no other task in
   * progress.
   */
  claim(id: WorkItemId, by: TaskClaimer): Promise<TaskAnswer>;
  /** Makes the task pending, without an owner. */
  release(id: WorkItemId, by: TaskActor, why?: string): Promise<TaskAnswer>;
  /** With acceptance checks the task is `claimed`, and unblocks nothing, until `settle` is called. */
  complete(id: WorkItemId, by: TaskActor): Promise<TaskAnswer>;
  /** Records the result of a completed task's checks. `refuted` puts it back in progress. */
  settle(id: WorkItemId, proof: TaskProof): Promise<TaskAnswer>;
  delete(id: WorkItemId, by: TaskActor): Promise<TaskAnswer>;
  /**
   * Releases the tasks of owners for which `isGone` returns a reason: in progress, assigned but not started, or
   * completed with unfinished checks. A newer claim stays. `holder` is the claiming process, if known.
   */
  releaseGone(isGone: (owner: TaskOwner) => Promise<string | undefined>): Promise<readonly WorkItem[]>;
  /** Yields every change by any writer from now on, in the order of the list. Ends when the signal aborts. */
  follow(signal: AbortSignal): AsyncIterable<TaskChange>;
  /** Returns every known change, oldest first. The result of older changes appears as if it were just made. */
  history(): Promise<readonly TaskChange[]>;
  /** Unreadable records, which have no effect; for the user. */
  problems(): readonly string[];
  close(): Promise<void>;
}

export interface NewTask {
  readonly subject: string;
  readonly description: string;
  readonly activeForm?: string | undefined;
  readonly owner?: string | undefined;
  readonly blocks?: readonly WorkItemId[] | undefined;
  readonly blockedBy?: readonly WorkItemId[] | undefined;
  readonly needs?: readonly string[] | undefined;
  readonly acceptance?: readonly AcceptanceCheck[] | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

export interface TaskPatch {
  readonly subject?: string | undefined;
  readonly description?: string | undefined;
  readonly activeForm?: string | undefined;
  readonly status?: WorkItemStatus | undefined;
  /** Null removes the owner. */
  readonly owner?: string | null | undefined;
  readonly addBlocks?: readonly WorkItemId[] | undefined;
  readonly addBlockedBy?: readonly WorkItemId[] | undefined;
  /** All its checks from now on. Only the creator of the task, `team-lead` and `user` may change them. */
  readonly acceptance?: readonly AcceptanceCheck[] | undefined;
  /** Merged key by key; null removes a key. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** The last words of the author about a task that it has, or had last. Counts for no other author. */
  readonly said?: OwnerWords | undefined;
}

/** The author of a change. `team-lead` and `user` may also change the tasks of others. */
export interface TaskActor extends TaskClaimer {
  /**
   * The generation of the caller's claim. The write then counts only while that claim holds: a member that was paused
   * past its lease learns from the refusal that it lost the task.
   */
  readonly generation?: number | undefined;
}

export interface TaskClaimer {
  readonly name: string;
  /** The claimer's tools. A task that needs others is refused. Absent for a person, who can do anything. */
  readonly tools?: readonly string[] | undefined;
  /**
   * The process that works on it. Without one the claim holds until it is released. In the library it is this process,
   * unless `keepClaims` is set.
   */
  readonly holder?: ProcessIdentity | undefined;
}

export interface TaskOwner {
  readonly name: string;
  readonly holder?: ProcessIdentity | undefined;
}

export interface TaskProof {
  readonly proof: "claimed" | "verified" | "refuted";
  readonly detail: string;
  /** The task's generation when it was completed. Old checks do not apply to a later claim. */
  readonly generation: number;
}

export type TaskAnswer =
  | { readonly ok: true; readonly item: WorkItem; readonly previous?: TaskHolding | undefined }
  /** `message` is for the caller: the obstacle and what to do. */
  | { readonly ok: false; readonly reason: TaskRefusal; readonly message: string; readonly item?: WorkItem };

/** The owner and the state of a task before a change. Decided by the order of the list, so that no claim is missed. */
export type TaskHolding = Pick<WorkItem, "owner" | "status">;

export type TaskRefusal =
  | "missing"
  /** It belongs to another member. */
  | "taken"
  | "blocked"
  /** The claimer has another task in progress. */
  | "busy"
  /** It needs tools that the claimer does not have. */
  | "unfit"
  /** The claim named in the write no longer holds. */
  | "stale"
  /** Completed or deleted. */
  | "over"
  /** A cycle, itself, or a task that does not exist. */
  | "dependency"
  /** The new owner is not in the team. */
  | "nobody";

export interface TaskChange {
  readonly what: "created" | "claimed" | "released" | "changed" | "completed" | "settled" | "deleted";
  readonly by: string;
  readonly at: string;
  readonly item: WorkItem;
  /** Undefined for a new task. */
  readonly previous?: TaskHolding | undefined;
  /** Tasks that this change unblocks. */
  readonly freed: readonly WorkItemId[];
  /** The reason for the release. */
  readonly why?: string | undefined;
}
