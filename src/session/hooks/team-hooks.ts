import type { WorkItem } from "../../protocol/index.ts";
import type { HookEvent } from "./hook-events.ts";
import type { HookRunner } from "./hook-runner.ts";

/** The moments of a member and of a task list. Each gives why not, in the hook's words; undefined where nothing is against it. */
export interface TeamHooks {
  /** A member has nothing left to do: the words send it back to work. `again`: they have done so before. */
  teammateIdle(
    member: TeamActor & { readonly again?: boolean | undefined },
    signal?: AbortSignal,
  ): Promise<string | undefined>;
  /** Before a task is put on the list, so that it has no number yet. */
  taskCreated(
    task: Pick<WorkItem, "subject" | "description">,
    actor: TeamActor,
    signal?: AbortSignal,
  ): Promise<string | undefined>;
  /** Before its checks are run. */
  taskCompleted(
    task: Pick<WorkItem, "id" | "subject" | "description">,
    actor: TeamActor,
    signal?: AbortSignal,
  ): Promise<string | undefined>;
}

/** Who does it. Without a team: the lead of a session that has none. */
export interface TeamActor {
  readonly name: string;
  readonly team?: string | undefined;
}

export function createTeamHooks(runner: HookRunner, closed: AbortSignal): TeamHooks {
  const against = async (event: HookEvent, input: Record<string, unknown>, signal = closed) => {
    if (!runner.has(event)) return undefined;
    const said = await runner.run(event, { input, signal: AbortSignal.any([signal, closed]) });
    if (said.decision === "deny") return said.reason ?? "It gave no reason.";
    // A member that a hook wants to stop is to be idle, not to go on.
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
