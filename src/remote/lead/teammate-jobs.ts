import { join } from "node:path";
import type { Ledger } from "../../agent/index.ts";
import { type Clock, type CreateId, definedFields } from "../../platform/index.ts";
import {
  type AgentDefinition,
  type AgentId,
  type AgentPath,
  type LaunchFlags,
  type Member,
  type SessionId,
  TroupeError,
} from "../../protocol/index.ts";
import type { StoredTeam } from "../../store/index.ts";
import type { SubmittedJob } from "../jobs/work-bus.ts";
import { workLabel } from "../jobs/work-label.ts";
import { advanceBranch } from "../commits/advance-branch.ts";
import type { RemoteBackendOptions } from "./remote-backend.ts";
import { bundleSource } from "../commits/bundle-source.ts";
import type { RepositoryContext } from "../../team/index.ts";
import { portableDefinition } from "./remote-runtime.ts";
import type { RemoteWork } from "./remote-work.ts";

export interface TeammateJobsPorts {
  readonly work: RemoteWork;
  readonly sessionId: SessionId;
  readonly place: Omit<RepositoryContext, "cwd">;
  /** The agent types that may be started. */
  readonly types: readonly AgentDefinition[];
  /** The lead's deny rules. */
  readonly deny: readonly string[];
  readonly launch: LaunchFlags;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly createId: CreateId;
}

/** Submits and finds the jobs of teammates that run on workers. */
export interface TeammateJobs extends Pick<RemoteBackendOptions, "submit" | "find" | "importCommits"> {
  /** Returns the worker entry of the team record and notices for the lead. Rejects if the type cannot run remotely. */
  prepare(wish: {
    readonly definition: AgentDefinition;
    readonly cwd: string;
    readonly sessionId: SessionId;
  }): Promise<{
    readonly worker: NonNullable<Member["worker"]>;
    readonly notices: readonly string[];
  }>;
}

export function createTeammateJobs(ports: TeammateJobsPorts): TeammateJobs {
  const { work, createId } = ports;
  const placeOf = (cwd: string): RepositoryContext => ({ ...ports.place, cwd });

  return {
    async prepare({ definition, cwd, sessionId }) {
      portableDefinition(definition);
      if (definition.backend === "acp")
        throw new TroupeError("agent", `Cannot run ${definition.name} remotely: it runs a program of this machine.`);
      const labels = definition.labels ?? [];
      for (const label of labels)
        if (!workLabel.test(label))
          throw new TroupeError(
            "agent",
            `Invalid worker label ${JSON.stringify(label)}. Use lowercase letters, digits, - and _.`,
          );
      const { head, notices } = await bundleSource(placeOf(cwd));
      const there = await (await work.bus()).workers();
      const isMatching = there.some((worker) => labels.every((label) => worker.labels.includes(label)));
      const wanted = labels.length === 0 ? "" : ` with the labels ${labels.join(", ")}`;
      return {
        worker: { labels, branch: `troupe/agent-${sessionId.slice(-8)}`, base: head },
        notices: [
          ...notices,
          ...requireRemoteCapable(definition),
          ...(isMatching ? [] : [`No worker${wanted} is available yet. The teammate waits for one.`]),
        ],
      };
    },
    async submit(member, team) {
      const { worker } = member;
      const definition = ports.types.find(({ name }) => name === (member.agentType ?? "general-purpose"));
      if (!worker || !definition)
        throw new TroupeError("team", `Agent type ${JSON.stringify(member.agentType)} no longer exists.`);
      const source = await bundleSource(placeOf(member.cwd), worker.branch);
      const { head, ref, author } = source;
      const object = `${ref === undefined ? "head" : "branch"}-${head}-${ports.sessionId}`;
      await work.putOnce(object, source.bundle);
      const id = createId<string>("job");
      const { budget } = ports.ledger;
      // Record the job before submitting it, so that a reader of the record finds the job or knows that there is none.
      await team.record.change(member.name, { worker: { ...worker, job: id } });
      return (await work.bus()).submit({
        id,
        agent: createId<AgentId>("agt"),
        path: `${member.name}@${team.name}` as AgentPath,
        description: `teammate ${member.name} of ${team.name}`,
        definition: portableDefinition(definition),
        model: member.model ?? "",
        mode: member.mode ?? "default",
        deny: [...ports.deny],
        said: [],
        labels: worker.labels,
        leaseMs: work.leaseMs,
        leadWaitMs: work.leadWaitMs,
        source: { object, head, ...(ref !== undefined && { ref }) },
        author,
        isBudgeted: budget.maxBudgetUsd !== undefined || budget.maxTokens !== undefined,
        member: memberOf(member, team, ports),
      });
    },
    find: async (job): Promise<SubmittedJob | undefined> => (await work.bus()).find(job),
    async importCommits(member, { object, head, was }) {
      const { branch, base } = member.worker ?? {};
      // The record is on the bus, but this is the user's repository, so check the branch name.
      if (branch === undefined || base === undefined || !/^troupe\/agent-[\w-]+$/.test(branch))
        throw new TroupeError(
          "team",
          `Cannot import the commits of ${member.name}: the team record has no valid branch for it.`,
        );
      const { files } = await work.bus();
      return work.withFolder(async (folder) => {
        const file = join(folder, "result.bundle");
        await files.get(object, file);
        return advanceBranch(placeOf(member.cwd), { file, head, base, branch, was });
      });
    },
  };
}

const requireRemoteCapable = ({ name, skills = [], memory }: AgentDefinition): readonly string[] =>
  skills.length === 0 && memory === undefined
    ? []
    : [
        `The skills and the memory of ${name} stay on this machine. Only the text of a definition is sent to other machines.`,
      ];

/** The teammate requests its budget as it needs it. Here it learns only that there is one. */
function memberOf(member: Member, team: StoredTeam, { launch, ledger: { budget } }: TeammateJobsPorts) {
  const { appendSystemPrompt, maxTurns } = launch;
  const { maxBudgetUsd, maxTokens } = budget;
  return {
    team: team.name,
    name: member.name,
    branch: member.worker?.branch ?? "",
    leadFolder: member.cwd,
    ...definedFields({ appendSystemPrompt, maxTurns, maxBudgetUsd, maxTokens }),
  };
}
