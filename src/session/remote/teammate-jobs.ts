import { join } from "node:path";
import type { Ledger } from "../../agent/index.ts";
import type { Clock, CreateId } from "../../platform/index.ts";
import {
  type AgentDefinition,
  type AgentId,
  type AgentPath,
  type LaunchFlags,
  type Member,
  type SessionId,
  TroupeError,
} from "../../protocol/index.ts";
import { type StoredTeam, type SubmittedJob, workLabel } from "../../store/index.ts";
import { advanceBranch, type RemoteBackendOptions, bundleSource, type RepositoryContext } from "../../team/index.ts";
import { portableDefinition } from "./remote-runtime.ts";
import type { RemoteWork } from "./remote-work.ts";

export interface TeammateJobsPorts {
  readonly work: RemoteWork;
  readonly sessionId: SessionId;
  readonly place: Omit<RepositoryContext, "cwd">;
  /** Types that may be started. */
  readonly types: readonly AgentDefinition[];
  /** Rules of the lead's by which calls are refused. */
  readonly deny: readonly string[];
  readonly launch: LaunchFlags;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly createId: CreateId;
}

/** Teammates that workers on other machines run, as their lead's session asks for them. */
export interface TeammateJobs extends Pick<RemoteBackendOptions, "submit" | "find" | "importCommits"> {
  /** What its entry in the record says of that, and what the lead should know. Rejects where it cannot be. */
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
        throw new TroupeError("agent", `${definition.name} is run by a program of this machine: it cannot be remote.`);
      const labels = definition.labels ?? [];
      for (const label of labels)
        if (!workLabel.test(label))
          throw new TroupeError(
            "agent",
            `${JSON.stringify(label)} is no label of workers: small letters, digits, - and _.`,
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
          ...(isMatching ? [] : [`No worker${wanted} is there yet: it waits for one.`]),
        ],
      };
    },
    async submit(member, team) {
      const { worker } = member;
      const definition = ports.types.find(({ name }) => name === (member.agentType ?? "general-purpose"));
      if (!worker || !definition)
        throw new TroupeError("team", `There is no agent type ${JSON.stringify(member.agentType)} any more.`);
      const source = await bundleSource(placeOf(member.cwd), worker.branch);
      const { head, ref, author } = source;
      const object = `${ref === undefined ? "head" : "branch"}-${head}-${ports.sessionId}`;
      await work.putOnce(object, source.bundle);
      const id = createId<string>("job");
      const { budget } = ports.ledger;
      // Before it is there: whoever finds the record finds the job, or that there is none.
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
      // The record is on the bus, and this is the user's repository.
      if (branch === undefined || base === undefined || !/^troupe\/agent-[\w-]+$/.test(branch))
        throw new TroupeError("team", `${member.name} has no branch of its own in the record of the team.`);
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
    : [`The skills and the memory of ${name} stay here: only words and names of a definition go to other machines.`];

/** What it may spend it asks for; that there is a budget it is told. */
function memberOf(member: Member, team: StoredTeam, { launch, ledger: { budget } }: TeammateJobsPorts) {
  const { appendSystemPrompt, maxTurns } = launch;
  const { maxBudgetUsd, maxTokens } = budget;
  return {
    team: team.name,
    name: member.name,
    branch: member.worker?.branch ?? "",
    leadFolder: member.cwd,
    ...(appendSystemPrompt !== undefined && { appendSystemPrompt }),
    ...(maxTurns !== undefined && { maxTurns }),
    ...(maxBudgetUsd !== undefined && { maxBudgetUsd }),
    ...(maxTokens !== undefined && { maxTokens }),
  };
}
