import { escapeTags, leadConduct } from "../agent/index.ts";
import { closeAll } from "../platform/index.ts";
import { isExternal, type Member, teamLead, TroupeError, type WorkItemId } from "../protocol/index.ts";
import type { TaskList } from "../store/index.ts";
import { createTeamTools } from "../team/index.ts";
import { createLedTeams, type LeadTeamsOptions, type LedTeams } from "./led-teams.ts";
import type { SessionTeam, TeamPorts } from "./session-team.ts";
import { startForMember, startMember } from "./start-member.ts";
import { carryOutForTeam } from "./team-commands.ts";
import { ledStillThere, ownStillThere } from "./team-still-there.ts";
import { messageTool, type TaskPlace, taskTools } from "./team-tools.ts";
import { watchReservations } from "./watch-reservations.ts";

/** A session as the lead of teams. Without one it still has a task list of its own. */
export const createLeadTeams =
  (options: LeadTeamsOptions) =>
  (ports: TeamPorts): SessionTeam => {
    const led: LedTeams = createLedTeams(
      {
        ...options,
        startFor: (team, member, request) => startForMember({ team, member, request }, { led, options, ports }),
      },
      ports,
    );
    let own: Promise<TaskList> | undefined;
    const openOwn = async () => {
      const tasks = await options.ownTasks();
      led.showTasks(tasks, undefined);
      return tasks;
    };
    const place: TaskPlace = {
      ports,
      claims: new Map<WorkItemId, number>(),
      me: () => (led.find() ? teamLead : "lead"),
      team: () => led.find()?.name,
      tasks: () => Promise.resolve(led.find()?.tasks ?? (own ??= openOwn())),
      members: (): readonly Member[] => led.all().flatMap((team) => team.members()),
      link: () => led.find()?.link,
    };
    const watch = watchReservations({
      teams: () => led.all().map((team) => ({ team: team.current(), me: teamLead, link: team.link })),
      agent: ports.agent,
      cwd: () => ports.runtime().cwd(),
      now: options.clock.now,
    });
    const { create, remove } = led;
    const conduct = (team: string, lead: string) => {
      const alsoLed = led.all().flatMap(({ name }) => (name === team ? [] : [name]));
      return leadConduct({ team, lead, alsoLed });
    };
    return {
      tools: [
        ...taskTools(place),
        ...(options.isOn
          ? [leadMessageTool(place, { led, options, ports }), ...createTeamTools({ create, remove, conduct })]
          : []),
      ],
      starter: options.isOn
        ? {
            teamOf: (name) => led.find(name)?.name,
            start: (parent, wish) => startMember(wish, parent, { led, options, ports }),
          }
        : undefined,
      observe(envelope) {
        for (const team of led.all()) team.heard(envelope);
        watch(envelope);
      },
      start: led.start,
      async dispatch(command) {
        try {
          return await carryOutForTeam(command, {
            led,
            tasks: async (team) => (team === undefined ? place.tasks() : led.get(team).tasks),
          });
        } catch (error) {
          if (TroupeError.is(error)) return { ok: false, code: error.code, message: error.message };
          throw error;
        }
      },
      running: () => led.all().flatMap(runningOf),
      async stillThere() {
        if (led.find()) return Promise.all(led.all().map(ledStillThere));
        const hasTasks = own !== undefined || ports.replayed.some(({ event }) => event.type === "task.created");
        return hasTasks ? [await ownStillThere(place.tasks)] : [];
      },
      close: () => closeAll([led.close, async () => (await own)?.close()]),
    };
  };

type Team = ReturnType<LedTeams["get"]>;

const runningOf = (team: Team) => [
  ...team.atWork().map(({ name, agentId }) => ({ id: agentId, kind: "teammate" as const, description: name })),
  ...(team.isUndecided
    ? [{ id: team.name, kind: "teammate" as const, description: `the reports of ${team.name}` }]
    : []),
];

/** What a lead speaks to its members with. */
function leadMessageTool(
  place: TaskPlace,
  { led, options, ports }: { led: LedTeams; options: LeadTeamsOptions; ports: TeamPorts },
) {
  const { agent, runtime: seat } = ports;
  const tell = async (text: string) => {
    if (led.closed.aborted) return;
    await agent().admit("agent", [{ type: "text", text: escapeTags(text) }]);
    agent().wake();
  };
  const tellOfEnd = async (member: Member, kind: "approved" | "rejected" | "late" | "open") => {
    const { name } = member;
    if (kind === "approved") await tell(`${name} has agreed, and has ended.`);
    if (kind === "late")
      await tell(
        isExternal(member)
          ? `${name} did not answer, and is not in the team any more. Another program runs it, which may go on by itself.`
          : `${name} did not answer and was ended.`,
      );
  };
  return messageTool({
    ...place,
    linkTo: (member) => led.with(member.agentId).link,
    isLead: () => true,
    statusOf: async (members) =>
      members.flatMap(({ name, agentId }) =>
        led
          .with(agentId)
          .statuses()
          .filter((status) => status.name === name),
      ),
    control: {
      open: {
        shutdown: () => [],
        plan: () =>
          led.all().flatMap((team) => [...team.plans()].map(([requestId, { from }]) => ({ requestId, from }))),
      },
      plansBy: options.settings.planApproval ?? "lead",
      async requestShutdown(member, reason) {
        const team = led.with(member.agentId);
        team
          .stop(member.name, { reason })
          .then(
            (came) => tellOfEnd(member, came.kind),
            async (error: unknown) => {
              if (!TroupeError.is(error)) throw error;
              await tell(`${member.name} could not be brought to an end: ${error.message}`);
            },
          )
          .catch((error: unknown) => void agent().fail(error));
        return team.stopRequestTo(member.name) ?? options.createId("ask");
      },
      answerShutdown: () => Promise.reject(new Error("a lead is not asked to end")),
      async answerPlan({ requestId, ...answer }) {
        if (answer.approve && seat().mode() === "plan")
          throw new TroupeError("team", "You are in plan mode yourself: present your own plan first.");
        for (const team of led.all()) if (team.plans().has(requestId)) await team.answerPlan(requestId, answer);
      },
    },
  });
}
