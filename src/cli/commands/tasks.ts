import { closeAll, createFolderWatcher, createIdFactory, systemClock } from "../../platform/index.ts";
import { openBlockers, teamUser, TroupeError, type WorkItem } from "../../protocol/index.ts";
import type { StoreOptions } from "../../session/index.ts";
import { openTaskList, type TaskAnswer, type TaskList } from "../../store/index.ts";
import { openMailbox, withAssignmentMail } from "../../team/index.ts";
import { exitCodes } from "../exit-codes.ts";
import { openTeams } from "../team/open-teams.ts";
import { printJson, stdoutScreen, abortOnInterrupt, printWarnings } from "../team/command-output.ts";

export interface TasksFlags extends StoreOptions {
  readonly team?: string;
  readonly session?: string;
  readonly as?: string;
  readonly json?: boolean;
}

export async function listTasks(flags: TasksFlags & { all?: boolean; follow?: boolean }): Promise<number> {
  return withTasks(flags, async (tasks) => {
    const interrupted = abortOnInterrupt();
    const changes = flags.follow ? tasks.follow(interrupted.signal) : undefined;
    const all = await tasks.list();
    const items = all.filter(({ status }) => flags.all || status !== "completed");
    if (flags.json && !flags.follow) printJson(items);
    else if (flags.json) for (const item of items) printJson(item);
    else if (items.length === 0 && !flags.follow) stdoutScreen().line("no open tasks");
    else for (const item of items) printTask(item, { after: openBlockers(item, all) });
    printWarnings(tasks.problems());
    for await (const { what, by, item, why } of changes ?? []) {
      if (flags.json) printJson({ what, by, why, ...item });
      else printTask(item, { what: `${what} by ${by}${why === undefined ? "" : ` (${why})`}` });
    }
    interrupted.release();
    return exitCodes.done;
  });
}

export interface AddFlags extends TasksFlags {
  readonly description?: string;
  readonly blockedBy?: readonly number[];
  readonly needs?: readonly string[];
  readonly check?: readonly string[];
}

export async function addTask(subject: readonly string[], flags: AddFlags): Promise<number> {
  const { description = "", blockedBy, needs, check = [] } = flags;
  const acceptance = check.map((command) => ({ command }));
  return withTasks(flags, async (tasks) => {
    const task = { subject: subject.join(" "), description, blockedBy, needs, acceptance };
    return printAnswer(await tasks.create(task, { name: actor(flags) }), flags);
  });
}

export async function claimTask(id: number, flags: TasksFlags): Promise<number> {
  return withTasks(flags, async (tasks) => printAnswer(await tasks.claim(id, { name: actor(flags) }), flags));
}

export async function releaseTask(id: number, flags: TasksFlags): Promise<number> {
  return withTasks(flags, async (tasks) => printAnswer(await tasks.release(id, { name: actor(flags) }), flags));
}

/** Completes a task on a person's word. Its checks are not run, because the author of the task also wrote them. */
export async function finishTask(id: number, flags: TasksFlags): Promise<number> {
  return withTasks(flags, async (tasks) => {
    const name = actor(flags);
    const done = await tasks.complete(id, { name });
    if (!done.ok || done.item.acceptance.length === 0) return printAnswer(done, flags);
    const { generation } = done.item;
    const detail = `${name} completed it from the shell; its checks were not run`;
    return printAnswer(await tasks.settle(id, { proof: "claimed", detail, generation }), flags);
  });
}

const actor = ({ as = teamUser }: TasksFlags): string => as;

async function withTasks(flags: TasksFlags, work: (tasks: TaskList) => Promise<number>): Promise<number> {
  const { tasks, close } = await openTasks(flags);
  try {
    return await work(tasks);
  } finally {
    await close();
  }
}

/** Opens the tasks of the named team or session, or of the only team. */
async function openTasks(flags: TasksFlags): Promise<{ tasks: TaskList; close(): Promise<void> }> {
  if (flags.team !== undefined && flags.session !== undefined) {
    throw new TroupeError("usage", "cannot combine --team and --session. Use one of them.");
  }
  const { teams, sessions } = await openTeams(flags);
  if (flags.session !== undefined) {
    const watcher = createFolderWatcher();
    const path = await sessions.taskListFile(flags.session);
    const tasks = openTaskList({ path, watcher, clock: systemClock, createId: createIdFactory(systemClock) });
    const close = async () => {
      await tasks.close();
      watcher.close();
    };
    return { tasks, close };
  }
  const stored = await teams.open(flags.team ?? onlyTeam(await teams.list()));
  const close = () => stored.close();
  try {
    // Rejects for an unknown name and lists the existing members.
    await stored.record.keyOf(actor(flags), "check");
  } catch (error) {
    await close();
    throw error;
  }
  const ids = { clock: systemClock, createId: createIdFactory(systemClock) };
  const mailbox = openMailbox(stored, ids);
  const members = async () => (await stored.record.read()).members;
  const send = async (mail: Parameters<typeof mailbox.send>[0]) => void (await mailbox.send(mail));
  return {
    tasks: withAssignmentMail(stored.tasks, { team: stored.name, members, send }),
    close: () => closeAll([mailbox.close, close]),
  };
}

function onlyTeam(teams: readonly { readonly name: string }[]): string {
  const [first, second] = teams;
  if (first !== undefined && second === undefined) return first.name;
  const which = first === undefined ? "There are no teams." : `Teams: ${teams.map(({ name }) => name).join(", ")}.`;
  throw new TroupeError("usage", `cannot choose a task list: use --team NAME or --session ID. ${which}`);
}

/** A refusal by the task list is not a usage error: the exit code is 1, as for a failed check. */
function printAnswer(answer: TaskAnswer, flags: TasksFlags): number {
  if (flags.json) printJson(answer);
  else if (answer.ok) printTask(answer.item);
  else process.stderr.write(`troupe: ${answer.message}\n`);
  return answer.ok ? exitCodes.done : exitCodes.failed;
}

const proofs = { claimed: "not verified", verified: "checks passed", refuted: "checks failed" } as const;

const marks = { pending: " ", in_progress: "◐", completed: "✓", deleted: "✗" } as const;

/** `after` lists the tasks that it waits for. By default these are all tasks that block it, finished or not. */
function printTask(
  item: WorkItem,
  { what, after = item.blockedBy }: { what?: string; after?: readonly number[] } = {},
): void {
  const screen = stdoutScreen();
  const notes = [
    item.owner,
    after.length > 0 && item.status === "pending" && `after ${after.map((id) => `#${id}`).join(", ")}`,
    item.proof !== undefined && item.acceptance.length > 0 && proofs[item.proof],
    what,
  ].filter(Boolean);
  const tail = notes.length === 0 ? "" : `  (${notes.join("; ")})`;
  screen.line(`${marks[item.status]} #${item.id} ${item.subject}${tail}`);
}
