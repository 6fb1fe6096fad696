import type { Agent } from "../agent/index.ts";
import type { TaskList } from "../store/index.ts";

export interface ShowTasks {
  /** Undefined: the session's own list. */
  readonly team: string | undefined;
  readonly agent: () => Agent;
  readonly signal: AbortSignal;
  /** Told what of the list could not be read, again and again. */
  readonly onProblems?: ((problems: readonly string[]) => void) | undefined;
}

/** Has whoever looks at the session see a task list, and what becomes of it. What goes wrong ends the agent's work. */
export function showTasks(tasks: TaskList, { team, agent, signal, onProblems }: ShowTasks): void {
  const named = team === undefined ? {} : { team };
  const show = async () => {
    const looked = () => onProblems?.(tasks.problems());
    for (const task of await tasks.list()) agent().live({ type: "task.changed", ...named, task });
    looked();
    for await (const { item } of tasks.follow(signal)) {
      agent().live({ type: "task.changed", ...named, task: item });
      looked();
    }
  };
  show().catch((error: unknown) => {
    if (!signal.aborted) void agent().fail(error);
  });
}
