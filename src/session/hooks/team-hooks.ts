import type { WorkItem } from "../../protocol/index.ts";
import type { HookEvent } from "./hook-events.ts";
import type { HookRunner } from "./hook-runner.ts";

/** The hooks for members and task lists. Each returns the reason of a denial, or undefined. */
export interface TeamHooks {
  /**
   * A teammate is about to become idle. A denial's reason makes it continue. `again` is true if that has happened
   * before.
   */
  teammateIdle(
    member: TeamActor & { readonly again?: boolean | undefined },
    signal?: AbortSignal,
  ): Promise<string | undefined>;
  /** Runs before the task is stored, so it has no number yet. */
  taskCreated(
    task: Pick<WorkItem, "subject" | "description">,
    actor: TeamActor,
    signal?: AbortSignal,
  ): Promise<string | undefined>;
  /** Runs before the task's checks. */
  taskCompleted(
    task: Pick<WorkItem, "id" | "subject" | "description">,
    actor: TeamActor,
    signal?: AbortSignal,
  ): Promise<string | undefined>;
}

/** The member that acts. Without a team it is the lead. */
export interface TeamActor {
  readonly name: string;
  readonly team?: string | undefined;
}

export function createTeamHooks(runner: HookRunner, closed: AbortSignal): TeamHooks {
  const against = async (event: HookEvent, input: Record<string, unknown>, signal = closed) => {
    if (!runner.has(event)) return undefined;
    const said = await runner.run(event, { input, signal: AbortSignal.any([signal, closed]) });
    if (said.decision === "deny") return said.reason ?? "The hook gave no reason.";
    // `stop` from a TeammateIdle hook means that the member becomes idle, not that it continues.
    return event === "TeammateIdle" ? undefined : said.stop;
  };
  return {
    teammateIdle: ({ again = false, ...actor }, signal) =>
      against("TeammateIdle", { ...actorFacts(actor), stop_hook_active: again }, signal),
    taskCreated: (task, actor, signal) => against("TaskCreated", { ...taskFacts(task), ...actorFacts(actor) }, signal),
    taskCompleted: (task, actor, signal) =>
      against("TaskCompleted", { task_id: String(task.id), ...taskFacts(task), ...actorFacts(actor) }, signal),
  };
}

const actorFacts = ({ name, team }: TeamActor) => (team === undefined ? {} : { teammate_name: name, team_name: team });

const taskFacts = ({ subject, description }: Pick<WorkItem, "subject" | "description">) => ({
  task_subject: subject,
  task_description: description,
});
