import type { Agent } from "../../agent/index.ts";
import type { Clock, ProcessIdentity } from "../../platform/index.ts";
import type { Envelope, OwnerWords, PromptId, WorkItem, WorkItemId, WorkItemStatus } from "../../protocol/index.ts";
import type { TaskClaimer as StoredClaimer, TaskList } from "../../store/index.ts";
import type { MailSender } from "../mailbox/mail-sender.ts";
import { claimObstacle, type ClaimingMember } from "./claim-rule.ts";
import { lastClaimIn, type LoggedClaim } from "./claims-in-log.ts";
import { createSkippedTasks } from "./skipped-tasks.ts";
import { retryWithBackoff } from "../storage/retry-with-backoff.ts";

/** Claims tasks for a teammate that has nothing else to do: its own first, then the lowest free one. */
export interface TaskClaimer {
  /** Claims the next task, unless it is not idle or has one in progress. */
  claimNext(): Promise<void>;
  /** Before its first turn: claims one of its tasks, which it reads together with its prompt. */
  beginOwnTask(): Promise<void>;
  /** Resumes the task of a previous run. Returns false if there is none. */
  resumeTask(): Promise<boolean>;
  /** It has ended a turn, and is about to be idle. */
  onTurnEnded(): void;
  taskInProgress(): Promise<WorkItemId | undefined>;
  /** Keeps its last words with the task that it has, or completed or released since, for the next owner. */
  keepWords(text: string): Promise<void>;
  /** Follows the task list until the end. */
  start(): void;
  settled(): Promise<void>;
}

/** How a task came to a member: it was free, its own but blocked, or given to it before its first turn. */
export type ClaimKind = "free" | "waited" | "given";

export interface ClaimingPorts {
  readonly tasks: TaskList;
  /** The names of its tools. */
  readonly tools: () => readonly string[];
  readonly holder: ProcessIdentity;
  /** The claims it holds, with their generations. Its tools write with them. */
  readonly claims: Map<WorkItemId, number>;
  readonly claimPrompt: (task: WorkItem, how: ClaimKind) => Promise<string>;
  /** True while the lead's turn runs. */
  readonly isLeadWorking: () => Promise<boolean>;
  /** False if it was started without a prompt. */
  readonly awaitsPrompt: boolean;
  /** The branch of its worktree. */
  readonly branch?: string | undefined;
}

export interface TaskClaimerOptions {
  readonly member: Pick<MailSender, "name" | "team">;
  readonly claiming: ClaimingPorts;
  readonly agent: Agent;
  /** True if it works or is ending. */
  readonly isBusy: () => boolean;
  /** True if it has mail to read, which comes first. */
  readonly hasMail: () => Promise<boolean>;
  /** Runs one step after the other steps of the teammate. */
  readonly inTurn: (step: () => Promise<void>) => Promise<void>;
  /** The stored events of previous runs. */
  readonly replayed: readonly Pick<Envelope, "event">[];
  readonly retry: { readonly clock: Pick<Clock, "sleep" | "monotonic">; readonly signal: AbortSignal };
  readonly onFailure: (error: unknown) => void;
}

/** Shorter than the time that a lead gives its members to claim a task. */
const leadPollMs = 200;

export function createTaskClaimer(options: TaskClaimerOptions): TaskClaimer {
  const { agent, claiming } = options;
  const { name, team } = options.member;
  const { tasks, claims, awaitsPrompt } = claiming;
  const skipped = createSkippedTasks(name);
  let hasBegun = !awaitsPrompt || options.replayed.some(({ event }) => event.type === "turn.ended");
  /** Begun before its first turn. Its prompt starts that turn. */
  let firstTask: WorkItemId | undefined;
  const lastClaim = lastClaimIn(options.replayed);
  let lastTask = lastClaim?.state === "completed" ? undefined : lastClaim?.taskId;
  const leadTurn = createLeadTurn(options);
  let following: Promise<void> = Promise.resolve();
  let wasFollowing = false;
  const claimer = () => ({ name, tools: claiming.tools(), holder: claiming.holder });
  const memberNow = async (): Promise<ClaimingMember> => ({
    name,
    tools: claiming.tools(),
    hasBegun,
    isLeadWorking: await claiming.isLeadWorking(),
    skipped: skipped.ids,
  });

  /** The task list decides between several claimers. */
  const claimNext = async () => {
    if (options.isBusy()) return;
    const list = await tasks.list();
    if (list.some(isInProgress)) return;
    const member = await memberNow();
    const obstacles = new Map(list.map((task) => [task, claimObstacle(task, { list, member })]));
    for (const task of ownFirst(
      list.filter((each) => obstacles.get(each) === undefined),
      name,
    )) {
      if ((await options.hasMail()) || options.isBusy()) return;
      const answer = await tasks.claim(task.id, claimer());
      if (answer.ok) return startTask(answer.item, task.owner === name ? "waited" : "free");
      // A claim that was reported as failed may have been written after all.
      if (answer.item && isInProgress(answer.item) && !claims.has(task.id)) return startTask(answer.item, "free");
      if (answer.reason === "busy") return;
    }
    // The lead may be about to give the task to another member.
    if ([...obstacles.values()].includes("lead_works")) leadTurn.afterEnd(() => void options.inTurn(claimNext));
  };

  const isInProgress = ({ owner, status }: WorkItem) => owner === name && status === "in_progress";

  const startTask = async (task: WorkItem, how: ClaimKind) => {
    await admitTask(task, how);
    agent.wake();
  };

  const admitTask = async (task: WorkItem, how: ClaimKind) => {
    const { id: taskId, subject } = task;
    claims.set(taskId, task.generation);
    lastTask = taskId;
    const promptId = promptFor(task);
    if (await agent.hasPrompt(promptId)) return;
    await agent.record({ type: "task.claimed", team, taskId, subject });
    const parts = [{ type: "text" as const, text: await claiming.claimPrompt(task, how) }];
    await agent.admitOnce({ promptId, source: "agent", parts, quiet: how === "given" && awaitsPrompt });
  };

  const followTasks = async () => {
    // Changes during a read failure are not reported later, so check the whole list.
    if (wasFollowing) void options.inTurn(claimNext);
    wasFollowing = true;
    for await (const change of tasks.follow(options.retry.signal)) {
      const { what, by, freed } = change;
      skipped.observe(change);
      if (by === name && what === "claimed") lastTask = change.item.id;
      if (what === "created" || what === "released" || what === "changed" || freed.length > 0)
        void options.inTurn(claimNext);
    }
  };

  return {
    claimNext,
    async beginOwnTask() {
      const list = await tasks.list();
      const member = { ...(await memberNow()), hasBegun: false };
      for (const task of list) {
        if (task.owner !== name || claimObstacle(task, { list, member }) !== undefined) continue;
        const answer = await tasks.claim(task.id, claimer());
        if (!answer.ok) continue;
        firstTask = task.id;
        return admitTask(answer.item, "given");
      }
    },
    async resumeTask() {
      const found = await findTaskToResume(tasks, claimer(), lastClaim);
      if (!found || found.task.generation === 0) return false;
      const { task } = found;
      if (task.id === firstTask && awaitsPrompt) return true;
      if (found.isKnown) claims.set(task.id, task.generation);
      else await admitTask(task, "free");
      agent.wake();
      return true;
    },
    onTurnEnded() {
      hasBegun = true;
      skipped.onTurnEnded();
    },
    taskInProgress: async () => (await tasks.list()).find(isInProgress)?.id,
    async keepWords(text) {
      if (lastTask === undefined) return;
      const status = await keepWords(lastTask, text, { ...claiming, name });
      // Later words are about other work.
      if (status === "completed") lastTask = undefined;
    },
    start() {
      following = retryWithBackoff(followTasks, options.retry);
      following.catch((error: unknown) => {
        if (!options.retry.signal.aborted) options.onFailure(error);
      });
    },
    async settled() {
      await Promise.allSettled([following, leadTurn.settled()]);
    },
  };
}

/**
 * The task of a previous run: it still has it, or claims it again if it was released and no other member has it.
 * `isKnown`: it claimed the task itself and still has it, so its conversation says so.
 */
async function findTaskToResume(
  tasks: TaskList,
  claimer: StoredClaimer,
  lastClaim: LoggedClaim | undefined,
): Promise<{ readonly task: WorkItem; readonly isKnown: boolean } | undefined> {
  const isOpen = lastClaim?.state === "open";
  const held = (await tasks.list()).find(({ owner, status }) => owner === claimer.name && status === "in_progress");
  if (held) return { task: held, isKnown: isOpen && lastClaim.by === "call" && lastClaim.taskId === held.id };
  const answer = isOpen ? await tasks.claim(lastClaim.taskId, claimer) : undefined;
  return answer?.ok ? { task: answer.item, isKnown: false } : undefined;
}

const ownFirst = (list: readonly WorkItem[], name: string) => [
  ...list.filter(({ owner }) => owner === name),
  ...list.filter(({ owner }) => owner !== name),
];

const longestWords = 2_000;

/** Does nothing for a task that another member has by now. Returns the state of the task. */
async function keepWords(
  id: WorkItemId,
  text: string,
  { name, tasks, branch }: Pick<ClaimingPorts, "tasks" | "branch"> & { readonly name: string },
): Promise<WorkItemStatus | undefined> {
  const task = await tasks.get(id);
  const isLast = task?.owner === name || (task?.owner === undefined && task?.past?.at(-1)?.owner === name);
  if (!task || !isLast) return undefined;
  const said: OwnerWords = { text: text.slice(0, longestWords), ...(branch && { branch }) };
  await tasks.update(id, { said }, { name });
  return task.status;
}

/** The lead's state is not pushed to members, so it is read again and again until its turn has ended. */
function createLeadTurn({ claiming: { isLeadWorking }, retry, onFailure }: TaskClaimerOptions) {
  let waiting: Promise<void> | undefined;
  const poll = async (done: () => void) => {
    try {
      do await retry.clock.sleep(leadPollMs, retry.signal);
      while (await isLeadWorking());
    } catch (error) {
      if (!retry.signal.aborted) onFailure(error);
      return;
    } finally {
      waiting = undefined;
    }
    done();
  };
  return {
    /** One wait serves all calls. */
    afterEnd(done: () => void) {
      waiting ??= poll(done);
    },
    settled: async () => waiting,
  };
}

/** Derived from the task and its claim, so that the prompt is added only once. */
const promptFor = ({ id, generation }: WorkItem): PromptId =>
  `prm_t${String(id).padStart(8, "0")}g${String(generation).padStart(6, "0")}` as PromptId;
