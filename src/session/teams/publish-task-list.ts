import type { Agent } from "../../agent/index.ts";
import type { TaskList } from "../../store/index.ts";

export interface PublishTaskListOptions {
  /** Undefined for the session's own list. */
  readonly team: string | undefined;
  readonly agent: Agent;
  readonly signal: AbortSignal;
  /** Receives the current problems of the list after each read. */
  readonly onProblems?: ((problems: readonly string[]) => void) | undefined;
}

/** Publishes a task list and its changes to the session's viewers. An error fails the agent. */
export function publishTaskList(tasks: TaskList, { team, agent, signal, onProblems }: PublishTaskListOptions): void {
  const named = team === undefined ? {} : { team };
  const publish = async () => {
    const readTasks = () => onProblems?.(tasks.problems());
    for (const task of await tasks.list()) agent.live({ type: "task.changed", ...named, task });
    readTasks();
    for await (const { item } of tasks.follow(signal)) {
      agent.live({ type: "task.changed", ...named, task: item });
      readTasks();
    }
  };
  publish().catch((error: unknown) => {
    if (!signal.aborted) void agent.fail(error);
  });
}
