import { assignmentMail, taskHolderNote, taskMails } from "../../agent/index.ts";
import { type Member, openBlockersOf, TroupeError, type WorkItemId } from "../../protocol/index.ts";
import type { TaskAnswer } from "../../store/index.ts";
import type { LeadTeam } from "./lead-team.ts";

/** A task that a new teammate gets with its start. */
export interface TaskHandover {
  /** The teammate runs. Returns a note for the agent that started it. */
  confirm(member: Pick<Member, "name">): Promise<string>;
  /** The teammate could not start: the task goes back to its owner. */
  undo(): Promise<void>;
}

export interface HandoverRequest {
  readonly taskId: WorkItemId;
  /** The wanted name. The member gets another one if it is taken. */
  readonly name: string;
  /** The member that starts the teammate. */
  readonly by: string;
}

/**
 * Makes the new teammate the owner before it starts, so that it reads the task together with its prompt. Rejects with a
 * TroupeError whose message is for the model.
 */
export async function handOverTask(
  team: Pick<LeadTeam, "tasks" | "current" | "send">,
  { taskId, name, by }: HandoverRequest,
): Promise<TaskHandover> {
  const { tasks } = team;
  const before = await tasks.get(taskId);
  if (!before) throw refusal(`There is no task #${taskId}. TaskList shows the tasks.`);
  if (before.status === "completed") throw refusal(`Task #${taskId} is already completed.`);
  const given = await tasks.update(taskId, { owner: name }, { name: by });
  if (!given.ok) throw refusal(given.message);

  const isMember = (each: string) => team.current().members.some((member) => member.name === each && !member.ended);
  const factsOf = async ({ item, previous }: Extract<TaskAnswer, { ok: true }>) => ({
    item,
    previous,
    by,
    all: await tasks.list(),
    isMember: (each: string) => each !== name && isMember(each),
  });
  const facts = await factsOf(given);
  for (const mail of taskMails(facts)) await team.send({ from: by, ...mail });

  return {
    async confirm(member) {
      if (member.name !== name) {
        const moved = await tasks.update(taskId, { owner: member.name }, { name: by });
        if (moved.ok) await team.send({ from: by, ...assignmentMail(await factsOf(moved)) });
      }
      const blockers = openBlockersOf(given.item, facts.all).map((id) => `#${id}`);
      const begins = blockers.length === 0 ? "It begins with" : `When ${blockers.join(", ")} is done, it begins`;
      return [`${begins} task #${taskId}: ${given.item.subject}`, ...taskHolderNote(facts)].join("\n");
    },
    async undo() {
      await tasks.update(taskId, { owner: before.owner ?? null }, { name: by });
    },
  };
}

const refusal = (message: string) => new TroupeError("agent", `${message} No teammate was started.`);
