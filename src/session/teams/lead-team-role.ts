import { leadConduct, troupeNotice } from "../../agent/index.ts";
import { closeAll } from "../../platform/index.ts";
import { type Envelope, type Member, teamLead, TroupeError, type WorkItemId } from "../../protocol/index.ts";
import type { TaskList } from "../../store/index.ts";
import { createTeamTools, onlyForOwner } from "../../team/index.ts";
import { createTeamRegistry, type LeadRoleOptions, type TeamRegistry, toolNames } from "./team-registry.ts";
import type { TeamRole, TeamPorts } from "./team-role.ts";
import { spawnForMember, spawnTeammate } from "./spawn-teammate.ts";
import { dispatchTeamCommand } from "./dispatch-team-command.ts";
import { leadOngoingWork, openTeamWork, ownOngoingWork } from "./ongoing-team-work.ts";
import { adaptToolTo, branchUseOf, messageTool, type TaskToolPorts, taskTools } from "./team-tools.ts";
import { unlandedWorkOf } from "./teammate-worktree.ts";
import { warnOnReservedFile } from "./warn-on-reserved-file.ts";

/** The team role of a lead. Without a team it still has its own task list. */
export const connectLeadTeamRole =
  (options: LeadRoleOptions) =>
  (ports: TeamPorts): TeamRole => {
    const registry: TeamRegistry = createTeamRegistry(
      {
        ...options,
        spawnForMember: (team, member, request) =>
          spawnForMember({ team, member, request }, { registry, options, ports }),
      },
      ports,
    );
    let ownTasks: Promise<TaskList> | undefined;
    const openOwnTasks = async () => {
      const tasks = await options.ownTasks();
      registry.publishTaskList(tasks, undefined);
      return tasks;
    };
    const toolPorts: TaskToolPorts = {
      ports,
      claims: new Map<WorkItemId, number>(),
      me: () => (registry.find() ? teamLead : "lead"),
      team: () => registry.find()?.name,
      tasks: () => Promise.resolve(registry.find()?.tasks ?? (ownTasks ??= openOwnTasks())),
      members: (): readonly Member[] => registry.all().flatMap((team) => team.members()),
      link: () => registry.find()?.link,
      unlandedWork: (name) => unlandedWorkOf(name, registry.find()?.members() ?? [], options.worktrees.leftBy),
    };
    const presenters = createPlanPresenters(ports.replayed);
    const watch = warnOnReservedFile({
      teams: () => registry.all().map((team) => ({ team: team.current(), me: teamLead, link: team.link })),
      agent: ports.agent,
      cwd: () => ports.runtime.cwd(),
      now: options.clock.now,
    });
    const { create, remove } = registry;
    const conduct = (team: string, lead: string) => {
      const alsoLed = registry.all().flatMap(({ name }) => (name === team ? [] : [name]));
      return leadConduct({ team, lead, alsoLed, tools: toolNames(ports.tools()) });
    };
    return {
      tools: [
        ...taskTools(toolPorts),
        ...(options.isOn
          ? [
              leadMessageTool(toolPorts, { registry, options, ports, presenters }),
              ...onlyForOwner(createTeamTools({ create, remove, conduct }), () => ports.runtime.id),
            ]
          : []),
      ],
      adaptTool: adaptToolTo(toolPorts),
      starter: options.isOn
        ? {
            teamOf: (name) => registry.find(name)?.name,
            members: toolPorts.members,
            start: (parent, wish) => spawnTeammate(wish, parent, { registry, options, ports }),
          }
        : undefined,
      observe(envelope) {
        for (const team of registry.all()) team.observe(envelope);
        presenters.observe(envelope);
        watch(envelope);
      },
      start: registry.start,
      async dispatch(command) {
        try {
          return await dispatchTeamCommand(command, {
            registry,
            tasks: async (team) => (team === undefined ? toolPorts.tasks() : registry.get(team).tasks),
          });
        } catch (error) {
          if (TroupeError.is(error)) return { ok: false, code: error.code, message: error.message };
          throw error;
        }
      },
      running: () => registry.all().flatMap(runningOf),
      openWork: () => openTeamWork(registry.all(), options.worktrees.leftBy),
      async ongoingWork() {
        if (registry.find())
          return Promise.all(registry.all().map((team) => leadOngoingWork(team, options.worktrees.leftBy)));
        const hasTasks = ownTasks !== undefined || ports.replayed.some(({ event }) => event.type === "task.created");
        return hasTasks ? [await ownOngoingWork(toolPorts.tasks)] : [];
      },
      close: () => closeAll([registry.close, async () => (await ownTasks)?.close()]),
    };
  };

type PlanPresenters = ReturnType<typeof createPlanPresenters>;

/** The members that have presented a plan to this lead, in this run or before. */
function createPlanPresenters(replayed: readonly Pick<Envelope, "event">[]) {
  const known = new Set<string>();
  const keyOf = (team: string, name: string) => JSON.stringify([team, name]);
  const observe = ({ event }: Pick<Envelope, "event">) => {
    if (event.type === "mail.received" && event.kind === "plan_approval_request")
      known.add(keyOf(event.team, event.from));
  };
  for (const envelope of replayed) observe(envelope);
  return { observe, has: ({ team, name }: { team: string; name: string }) => known.has(keyOf(team, name)) };
}

type Team = ReturnType<TeamRegistry["get"]>;

const runningOf = (team: Team) => [
  ...team.busyMembers().map(({ name, agentId }) => ({ id: agentId, kind: "teammate" as const, description: name })),
  ...(team.isSettling ? [{ id: team.name, kind: "teammate" as const, description: `reports in ${team.name}` }] : []),
];

/** The SendMessage tool of a lead. */
function leadMessageTool(
  toolPorts: TaskToolPorts,
  {
    registry,
    options,
    ports,
    presenters,
  }: { registry: TeamRegistry; options: LeadRoleOptions; ports: TeamPorts; presenters: PlanPresenters },
) {
  const { agent, runtime } = ports;
  const reportFailure = async (text: string) => {
    if (registry.closed.aborted) return;
    await agent.admit("agent", [{ type: "text", text: troupeNotice(text) }]);
    agent.wake();
  };
  return messageTool({
    ...toolPorts,
    linkTo: (member) => registry.with(member.agentId).link,
    isLead: () => true,
    statusOf: async (members) =>
      members.flatMap(({ name, agentId }) =>
        registry
          .with(agentId)
          .statuses()
          .filter((status) => status.name === name),
      ),
    control: {
      open: {
        shutdown: () => [],
        plan: () =>
          registry.all().flatMap((team) => [...team.plans()].map(([requestId, { from }]) => ({ requestId, from }))),
      },
      plansBy: options.settings.planApproval ?? "lead",
      hasPresentedPlan: async ({ agentId, name }) => presenters.has({ team: registry.with(agentId).name, name }),
      lacksPlan: (member) =>
        member.planModeRequired === true &&
        branchUseOf(member.name, toolPorts) !== "compare" &&
        !presenters.has({ team: registry.with(member.agentId).name, name: member.name }),
      async unfinishedWork(member) {
        const status = registry
          .with(member.agentId)
          .statuses()
          .find(({ name }) => name === member.name);
        const work = status?.state === "working" ? await toolPorts.unlandedWork(member.name) : undefined;
        return work && (work.commits > 0 || work.uncommitted.length > 0) ? work : undefined;
      },
      async requestShutdown(member, reason) {
        const team = registry.with(member.agentId);
        // The team announces the end.
        team
          .stop(member.name, { reason })
          .catch(async (error: unknown) => {
            if (!TroupeError.is(error)) throw error;
            await reportFailure(`Cannot stop ${member.name}: ${error.message}`);
          })
          .catch((error: unknown) => void agent.fail(error));
        return team.pendingEnd(member.name)?.requestId ?? options.createId("ask");
      },
      answerShutdown: () => Promise.reject(new Error("a lead cannot receive a shutdown request")),
      async answerPlan({ requestId, ...answer }) {
        if (answer.approve && runtime.mode() === "plan")
          throw new TroupeError(
            "team",
            "Cannot approve a plan while you are in plan mode. Present your own plan first.",
          );
        for (const team of registry.all()) if (team.plans().has(requestId)) await team.answerPlan(requestId, answer);
      },
    },
  });
}
