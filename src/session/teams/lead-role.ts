import { escapeTags, leadConduct } from "../../agent/index.ts";
import { closeAll } from "../../platform/index.ts";
import { isExternal, type Member, teamLead, TroupeError, type WorkItemId } from "../../protocol/index.ts";
import type { TaskList } from "../../store/index.ts";
import { createTeamTools } from "../../team/index.ts";
import { createTeamRegistry, type LeadRoleOptions, type TeamRegistry } from "./team-registry.ts";
import type { TeamRole, TeamPorts } from "./team-role.ts";
import { spawnForMember, spawnTeammate } from "./spawn-teammate.ts";
import { dispatchTeamCommand } from "./dispatch-team-command.ts";
import { leadOngoingWork, ownOngoingWork } from "./ongoing-team-work.ts";
import { messageTool, type TaskToolPorts, taskTools } from "./team-tools.ts";
import { warnOnReservedFile } from "./warn-on-reserved-file.ts";

/** The team role of a lead. Without a team it still has its own task list. */
export const connectLeadRole =
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
    };
    const watch = warnOnReservedFile({
      teams: () => registry.all().map((team) => ({ team: team.current(), me: teamLead, link: team.link })),
      agent: ports.agent,
      cwd: () => ports.runtime().cwd(),
      now: options.clock.now,
    });
    const { create, remove } = registry;
    const conduct = (team: string, lead: string) => {
      const alsoLed = registry.all().flatMap(({ name }) => (name === team ? [] : [name]));
      return leadConduct({ team, lead, alsoLed });
    };
    return {
      tools: [
        ...taskTools(toolPorts),
        ...(options.isOn
          ? [leadMessageTool(toolPorts, { registry, options, ports }), ...createTeamTools({ create, remove, conduct })]
          : []),
      ],
      starter: options.isOn
        ? {
            teamOf: (name) => registry.find(name)?.name,
            start: (parent, wish) => spawnTeammate(wish, parent, { registry, options, ports }),
          }
        : undefined,
      observe(envelope) {
        for (const team of registry.all()) team.observe(envelope);
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
      async ongoingWork() {
        if (registry.find()) return Promise.all(registry.all().map(leadOngoingWork));
        const hasTasks = ownTasks !== undefined || ports.replayed.some(({ event }) => event.type === "task.created");
        return hasTasks ? [await ownOngoingWork(toolPorts.tasks)] : [];
      },
      close: () => closeAll([registry.close, async () => (await ownTasks)?.close()]),
    };
  };

type Team = ReturnType<TeamRegistry["get"]>;

const runningOf = (team: Team) => [
  ...team.busyMembers().map(({ name, agentId }) => ({ id: agentId, kind: "teammate" as const, description: name })),
  ...(team.isSettling ? [{ id: team.name, kind: "teammate" as const, description: `reports in ${team.name}` }] : []),
];

/** The SendMessage tool of a lead. */
function leadMessageTool(
  toolPorts: TaskToolPorts,
  { registry, options, ports }: { registry: TeamRegistry; options: LeadRoleOptions; ports: TeamPorts },
) {
  const { agent, runtime: seat } = ports;
  const report = async (text: string) => {
    if (registry.closed.aborted) return;
    await agent().admit("agent", [{ type: "text", text: escapeTags(text) }]);
    agent().wake();
  };
  const reportEnd = async (member: Member, kind: "approved" | "rejected" | "late" | "open") => {
    const { name } = member;
    if (kind === "approved") await report(`${name} has agreed, and has ended.`);
    if (kind === "late")
      await report(
        isExternal(member)
          ? `${name} did not answer and is no longer in the team. An external program runs it and may continue.`
          : `${name} did not answer and was ended.`,
      );
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
      async requestShutdown(member, reason) {
        const team = registry.with(member.agentId);
        team
          .stop(member.name, { reason })
          .then(
            (came) => reportEnd(member, came.kind),
            async (error: unknown) => {
              if (!TroupeError.is(error)) throw error;
              await report(`Cannot stop ${member.name}: ${error.message}`);
            },
          )
          .catch((error: unknown) => void agent().fail(error));
        return team.openStopRequest(member.name) ?? options.createId("ask");
      },
      answerShutdown: () => Promise.reject(new Error("a lead cannot receive a shutdown request")),
      async answerPlan({ requestId, ...answer }) {
        if (answer.approve && seat().mode() === "plan")
          throw new TroupeError(
            "team",
            "Cannot approve a plan while you are in plan mode. Present your own plan first.",
          );
        for (const team of registry.all()) if (team.plans().has(requestId)) await team.answerPlan(requestId, answer);
      },
    },
  });
}
