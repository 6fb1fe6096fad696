import type { ProcessIdentity } from "../../../platform/index.ts";
import type { AcceptanceCheck, WorkItem, WorkItemId, WorkItemStatus } from "../../../protocol/index.ts";

/**
 * A list of tasks that any number of processes share. What a write came to is decided by its place in the one order that
 * everybody sees: of two claims the first one wins, for everybody. Rejects only if the list cannot be read or written.
 */
export interface TaskList {
  create(task: NewTask, by: TaskActor): Promise<TaskAnswer>;
  get(id: WorkItemId): Promise<WorkItem | undefined>;
  /** By id, without the deleted ones. */
  list(): Promise<readonly WorkItem[]>;
  /** Everything or nothing of the patch. A status of `in_progress` on a task of nobody's is a claim. */
  update(id: WorkItemId, patch: TaskPatch, by: TaskActor): Promise<TaskAnswer>;
  /** For a task that is pending, nobody else's and not blocked, by somebody with no other task in progress. */
  claim(id: WorkItemId, by: TaskClaimer): Promise<TaskAnswer>;
  /** Gives it back: pending, and nobody's. */
  release(id: WorkItemId, by: TaskActor, why?: string): Promise<TaskAnswer>;
  /** With acceptance checks it is `claimed`, and frees nothing, until `settle` has said more. */
  complete(id: WorkItemId, by: TaskActor): Promise<TaskAnswer>;
  /** What the checks of a completed task have shown; `refuted` puts it back in progress. */
  settle(id: WorkItemId, proof: TaskProof): Promise<TaskAnswer>;
  delete(id: WorkItemId, by: TaskActor): Promise<TaskAnswer>;
  /**
   * Gives back the tasks whose owner `isGone`: in progress, meant for it and not begun, or completed with checks that it never finished. Who claimed in the meantime keeps what
   * it claimed. `holder` is the process that claimed, where it said so.
   */
  releaseGone(isGone: (owner: TaskOwner) => Promise<string | undefined>): Promise<readonly WorkItem[]>;
  /** Every change from now on, whoever made it, in the order of the list; pushed. Ends when the signal aborts. */
  follow(signal: AbortSignal): AsyncIterable<TaskChange>;
  /** Every change that is still known, oldest first. What became of older ones is told as if it had just been made. */
  history(): Promise<readonly TaskChange[]>;
  /** Records that could not be read and count for nothing: for the user. */
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
  /** Null takes it from its owner. */
  readonly owner?: string | null | undefined;
  readonly addBlocks?: readonly WorkItemId[] | undefined;
  readonly addBlockedBy?: readonly WorkItemId[] | undefined;
  /** Merged key by key; null removes a key. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** Who asks. What `team-lead` and `user` ask is done to the tasks of others too. */
export interface TaskActor extends TaskClaimer {
  /**
   * Of its claim, as the task had it then. With it the write counts only while that claim holds: whoever was stopped
   * past its lease learns from the refusal that the task is no longer its own.
   */
  readonly generation?: number | undefined;
}

export interface TaskClaimer {
  readonly name: string;
  /** Its tools; a task that needs others is not for it. Without: it is a person, who can do anything. */
  readonly tools?: readonly string[] | undefined;
  /** The process that works on it. Without one the claim holds until it is given back. */
  readonly holder?: ProcessIdentity | undefined;
}

export interface TaskOwner {
  readonly name: string;
  readonly holder?: ProcessIdentity | undefined;
}

export interface TaskProof {
  readonly proof: "claimed" | "verified" | "refuted";
  readonly detail: string;
  /** Of the task when it was completed: what was claimed again since then is not judged by old checks. */
  readonly generation: number;
}

export type TaskAnswer =
  | { readonly ok: true; readonly item: WorkItem }
  /** `message` is for whoever asked: what stands in the way, and what to do. */
  | { readonly ok: false; readonly reason: TaskRefusal; readonly message: string; readonly item?: WorkItem };

export type TaskRefusal =
  | "missing"
  /** Somebody else's. */
  | "taken"
  | "blocked"
  /** The claimer has another task in progress. */
  | "busy"
  /** It needs tools that the claimer has not. */
  | "unfit"
  /** The claim that the write is for no longer holds. */
  | "stale"
  /** Completed or deleted. */
  | "over"
  /** A cycle, itself, or a task that does not exist. */
  | "dependency"
  /** Whom it should be given to is not in the team. */
  | "nobody";

export interface TaskChange {
  readonly what: "created" | "claimed" | "released" | "changed" | "completed" | "settled" | "deleted";
  readonly by: string;
  readonly at: string;
  readonly item: WorkItem;
  /** Tasks that nothing blocks any more because of it. */
  readonly freed: readonly WorkItemId[];
  /** Why it was given back. */
  readonly why?: string | undefined;
}
