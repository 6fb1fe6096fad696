import { leadConduct } from "../agent/index.ts";
import type { Clock, CreateId } from "../platform/index.ts";
import {
  type Ack,
  type BackendType,
  type LaunchFlags,
  type Member,
  type PromptId,
  type SessionId,
  teamLead,
  type TeamSettings,
  teamUser,
  TroupeError,
  type WorkItemId,
} from "../protocol/index.ts";
import type { TaskList, TeamStore } from "../store/index.ts";
import {
  type Backend,
  type ChildResolver,
  createTeamTools,
  type LeadTeam,
  type LeadTeamOptions,
  loadLeading,
  type TeammateStarter,
  type TeammateWish,
} from "../team/index.ts";
import { textResult } from "../tool/index.ts";
import type { TeamCommand } from "./dispatch.ts";
import type { SessionTeam, TeamPorts } from "./session-team.ts";
import { messageTool, taskTools } from "./team-tools.ts";

export interface LeadTeamsOptions {
  readonly store: TeamStore;
  readonly cwd: string;
  readonly settings: TeamSettings;
  /** The tools for teams are offered. */
  readonly isOn: boolean;
  /** The team to lead from the start: joined if it is there, else made. */
  readonly team?: string | undefined;
  readonly launch: LaunchFlags;
  readonly backend: (type: BackendType) => Promise<Backend>;
  /** After the last member has ended or rests. */
  readonly closeBackends: () => Promise<void>;
  /** Puts in order what a member leaves behind that was ended from outside. */
  readonly putAway: (member: Member) => Promise<void>;
  readonly defaultBackend: BackendType;
  readonly resolver: ChildResolver;
  /** The session's own list, for tasks outside of teams. */
  readonly ownTasks: () => Promise<TaskList>;
  readonly clock: Clock;
  readonly createId: CreateId;
}

const defaultShutdownMs = 60_000;

/** A session as the lead of teams. Without one it still has a task list of its own. */
export const createLeadTeams =
  (options: LeadTeamsOptions) =>
  (ports: TeamPorts): SessionTeam => {
    const { store, settings, clock, createId } = options;
    const { agent, seat } = ports;
    const teams = new Map<string, LeadTeam>();
    const closers = new Map<string, () => Promise<void>>();
    const claims = new Map<WorkItemId, number>();
    const over = new AbortController();
    let own: Promise<TaskList> | undefined;

    const only = (name?: string): LeadTeam | undefined =>
      name === undefined ? [...teams.values()].at(-1) : teams.get(name);
    const teamOf = (name?: string): LeadTeam => {
      const found = only(name);
      if (found) return found;
      const names = [...teams.keys()];
      const hint =
        names.length === 0 ? "make one with TeamCreate, or start with --team" : `there is: ${names.join(", ")}`;
      throw new TroupeError(
        "team",
        name === undefined ? `There is no team yet; ${hint}.` : `There is no team ${JSON.stringify(name)}; ${hint}.`,
      );
    };

    const take = async (team: Awaited<ReturnType<TeamStore["open"]>>): Promise<readonly string[]> => {
      const { createLeadTeam, teamMailbox } = await loadLeading();
      const mailbox = teamMailbox(team, { clock, createId });
      const lead = await createLeadTeam({
        team,
        mailbox,
        lead: agent,
        conversation: () => seat().conversation,
        ask: ports.shared.ask,
        backend: options.backend,
        defaultBackend: options.defaultBackend,
        plansBy: settings.planApproval ?? "lead",
        mode: () => seat().mode(),
        putAway: options.putAway,
        shutdownMs: settings.shutdownMs ?? defaultShutdownMs,
        onStatus: (status, member) => agent().live(memberChanged(team.name, status, member)),
        clock,
        createId,
      });
      teams.set(team.name, lead);
      followTasks(team.tasks, team.name);
      closers.set(team.name, async () => {
        await lead.close();
        await mailbox.close();
        await team.close();
      });
      return lead.start();
    };

    const followTasks = (tasks: TaskList, name: string | undefined) => {
      const show = async () => {
        for (const task of await tasks.list())
          agent().live({ type: "task.changed", ...(name && { team: name }), task });
        for await (const { item } of tasks.follow(over.signal))
          agent().live({ type: "task.changed", ...(name && { team: name }), task: item });
      };
      show().catch((error: unknown) => {
        if (!over.signal.aborted) void agent().fail(error);
      });
    };

    const join = async (name: string) => {
      await agent().record({ type: "team.joined", team: name, name: teamLead, role: "lead" });
    };

    const create = async (wanted: string, description?: string) => {
      const team = await store.create({ name: wanted, description, leadSessionId: ports.sessionId, cwd: options.cwd });
      await take(team);
      await join(team.name);
      return { team: team.name, lead: teamLead };
    };

    /** A team that is there already, if nobody leads it; undefined if there is none. */
    const takeUp = async (name: string): Promise<string | undefined> => {
      const known = (await store.list()).find((summary) => summary.name === name);
      if (!known) return undefined;
      const team = await store.open(name);
      const before = await team.presence.look(teamLead);
      if (before && before.alive !== "dead" && before.state !== "ended") {
        await team.close();
        throw new TroupeError(
          "team",
          `the team ${name} is led by another session (process ${before.pid}): end that first.`,
        );
      }
      await team.record.changeTeam({ leadSessionId: ports.sessionId });
      await say(await take(team));
      await join(name);
      return name;
    };

    const say = async (notices: readonly string[]) => {
      for (const message of notices)
        await agent().record({ type: "notice.raised", level: "warning", code: "team", message });
      if (notices.length === 0) return;
      const parts = [{ type: "text" as const, text: notices.join("\n") }];
      await agent().admitOnce({ promptId: createId<PromptId>("prm"), source: "agent", parts, quiet: true });
    };

    const leave = async (name: string, reason: string) => {
      await closers.get(name)?.();
      closers.delete(name);
      teams.delete(name);
      await agent().record({ type: "team.left", team: name, reason });
    };

    const remove = async (name?: string) => {
      const team = teamOf(name);
      const active = team.members().filter((member) => !member.ended);
      if (active.length > 0) {
        const names = active.map((member) => member.name).join(", ");
        throw new TroupeError("team", `${team.name} still has active members: ${names}. Ask them to end first.`);
      }
      await leave(team.name, "deleted");
      await store.delete(team.name);
      return { team: team.name };
    };

    const start = async (wish: TeammateWish, parent: Parameters<TeammateStarter["start"]>[0]) => {
      const team = teamOf(wish.team);
      const known = team.members().find(({ callId, startedBy }) => callId === wish.callId && startedBy === parent.id);
      if (known) return spawned(known, team.name, []);
      const resolved = options.resolver.resolve(parent, { ...wish, type: wish.type ?? "general-purpose" });
      if (!ports.children) throw new TroupeError("agent", "This session starts no agents.");
      const place = await ports.children.admit(parent, wish.signal);
      try {
        const worktree = resolved.isolated ? await ports.children.isolate(resolved.cwd, wish.signal) : undefined;
        const sessionId = createId<SessionId>("ses");
        try {
          const { member, notices } = await team.spawn({
            name: wish.name,
            description: wish.description,
            prompt: [resolved.definition.initialPrompt, wish.prompt].filter((text) => text !== undefined).join("\n\n"),
            agentType: resolved.definition.name,
            model: resolved.model,
            mode: resolved.mode,
            color: resolved.definition.color,
            planModeRequired: wish.planModeRequired,
            cwd: resolved.cwd,
            worktree: worktree && { path: worktree.path, branch: worktree.branch },
            sessionId,
            launch: options.launch,
            startedBy: parent.id,
            callId: wish.callId,
          });
          const { name, model = resolved.model, color } = member;
          await agent().record({
            type: "member.joined",
            team: team.name,
            name,
            sessionId: member.sessionId ?? sessionId,
            agentType: resolved.definition.name,
            model,
            ...(color && { color }),
          });
          return spawned(member, team.name, [...notices, ...(worktree?.notices ?? [])]);
        } catch (error) {
          await worktree?.finish();
          throw error;
        }
      } finally {
        place.release();
      }
    };

    const place = {
      ports,
      claims,
      me: () => (only() ? teamLead : "lead"),
      team: () => only()?.name,
      tasks: () => Promise.resolve(only()?.tasks ?? (own ??= openOwn())),
      members: (): readonly Member[] => [...teams.values()].flatMap((team) => team.members()),
      link: () => only()?.link,
    };
    const openOwn = async () => {
      const tasks = await options.ownTasks();
      followTasks(tasks, undefined);
      return tasks;
    };
    const message = messageTool({
      ...place,
      isLead: () => true,
      statusOf: async (members) =>
        [...teams.values()]
          .flatMap((team) => team.statuses())
          .filter(({ name }) => members.some((m) => m.name === name)),
      control: {
        open: {
          shutdown: () => [],
          plan: () =>
            [...teams.values()].flatMap((team) =>
              [...team.plans()].map(([requestId, { from }]) => ({ requestId, from })),
            ),
        },
        async requestShutdown(member, reason) {
          const team = teamWith(member.name);
          const answer = team.stop(member.name, { reason });
          answer.catch((error: unknown) => void agent().fail(error));
          void answer.then(
            (came) => tellOfEnd(member.name, came.kind),
            () => undefined,
          );
          return team.stopRequestTo(member.name) ?? createId("ask");
        },
        answerShutdown: () => Promise.reject(new Error("a lead is not asked to end")),
        async answerPlan({ requestId, ...answer }) {
          if (answer.approve && seat().mode() === "plan")
            throw new TroupeError("team", "You are in plan mode yourself: present your own plan first.");
          for (const team of teams.values()) if (team.plans().has(requestId)) await team.answerPlan(requestId, answer);
        },
      },
    });

    const tellOfEnd = async (name: string, kind: "approved" | "rejected" | "late") => {
      if (kind === "rejected" || over.signal.aborted) return;
      const text = kind === "late" ? `${name} did not answer and was ended.` : `${name} has agreed, and has ended.`;
      await agent().admit("agent", [{ type: "text", text }]);
      agent().wake();
    };

    const teamWith = (name: string): LeadTeam =>
      [...teams.values()].find((team) => team.members().some((member) => member.name === name)) ?? teamOf();

    return {
      tools: [
        ...taskTools(place),
        ...(options.isOn
          ? [message, ...createTeamTools({ create, remove, conduct: (team, lead) => leadConduct({ team, lead }) })]
          : []),
      ],
      starter: options.isOn
        ? { teamOf: (name) => only(name)?.name, start: (parent, wish) => start(wish, parent) }
        : undefined,
      heard(envelope) {
        for (const team of teams.values()) team.heard(envelope);
      },
      async start() {
        for (const name of ledBefore(ports)) {
          const missing = await take(await store.open(name)).catch((error: unknown) => {
            if (!TroupeError.is(error)) throw error;
            return [`the team ${name} could not be taken up again: ${error.message}`];
          });
          await say(missing);
        }
        if (options.team === undefined || teams.has(options.team)) return;
        const team = (await takeUp(options.team)) ?? (await create(options.team)).team;
        const text = leadConduct({ team, lead: teamLead });
        const promptId = createId<PromptId>("prm");
        await agent().admitOnce({ promptId, source: "agent", parts: [{ type: "text", text }], quiet: true });
      },
      async dispatch(command) {
        try {
          return await carryOut(command);
        } catch (error) {
          if (TroupeError.is(error)) return { ok: false, code: error.code, message: error.message };
          throw error;
        }
      },
      running: () =>
        [...teams.values()].flatMap((team) => [
          ...team.atWork().map(({ name, agentId }) => ({ id: agentId, kind: "teammate" as const, description: name })),
          ...(team.isUndecided
            ? [{ id: team.name, kind: "teammate" as const, description: `the reports of ${team.name}` }]
            : []),
        ]),
      stillThere: () =>
        [...teams.values()].flatMap((team) => [
          `You lead the team ${team.name}. Its members:`,
          ...team.members().map(({ name, agentType, ended }) => {
            const state = ended
              ? `ended (${ended.reason})`
              : (team.statuses().find((s) => s.name === name)?.state ?? "starting");
            return `- ${name} (${agentType ?? "general-purpose"}): ${state}`;
          }),
          "TaskList shows the tasks.",
        ]),
      async close() {
        for (const [name, team] of teams) {
          const isOver = team.members().every((member) => member.ended) && !(settings.keep ?? false);
          await closers.get(name)?.();
          if (isOver && options.team === undefined) await store.delete(name);
        }
        await options.closeBackends();
        over.abort(new DOMException("the session has ended", "AbortError"));
        await (await own)?.close();
      },
    };

    async function carryOut(command: TeamCommand): Promise<Ack> {
      switch (command.type) {
        case "mail.send": {
          const { to, text, summary, urgent } = command;
          const team = command.team === undefined ? teamWith(to) : teamOf(command.team);
          const mail = {
            from: teamUser,
            text,
            ...(summary !== undefined && { summary }),
            ...(urgent !== undefined && { urgent }),
          };
          if (to === "*") await team.mailbox.broadcast(mail);
          else await team.mailbox.send({ ...mail, to });
          team.expect(to);
          return { ok: true };
        }
        case "member.interrupt":
          await teamOf(command.team).interrupt(command.name);
          return { ok: true };
        case "member.stop": {
          const { now, reason } = command;
          const answer = await teamOf(command.team).stop(command.name, { now, reason });
          if (answer.kind !== "rejected") return { ok: true };
          return { ok: false, code: "rejected", message: `${command.name} does not want to end: ${answer.reason}` };
        }
        case "member.respawn":
          await teamOf(command.team).respawn(command.name);
          return { ok: true };
        case "member.set":
          await teamOf(command.team).setMode(command.name, command.permissionMode);
          return { ok: true };
        case "task.create": {
          const { subject, description = "" } = command;
          return ackOf(await (await place.tasks()).create({ subject, description }, { name: teamUser }));
        }
        case "task.update": {
          const { taskId, status, owner } = command;
          return ackOf(await (await place.tasks()).update(taskId, { status, owner }, { name: teamUser }));
        }
      }
    }
  };

const ackOf = (answer: Awaited<ReturnType<TaskList["create"]>>): Ack =>
  answer.ok ? { ok: true } : { ok: false, code: answer.reason, message: answer.message };

function spawned(member: Member, team: string, notices: readonly string[]) {
  const notes = notices.map((notice) => `Note: ${notice}`);
  const where =
    member.worktreePath === undefined ? [] : [`It works in ${member.worktreePath} on ${member.worktreeBranch}.`];
  return textResult(
    [
      ...notes,
      `Teammate ${member.name} (${member.agentId}) has begun in the team ${team}.`,
      ...where,
      "It works by itself; its report comes to you when it is done. Speak to it with SendMessage.",
    ].join("\n"),
  );
}

/** Teams that an earlier life of the session has led and not left. */
function ledBefore({ replayed }: TeamPorts): readonly string[] {
  const led = new Set<string>();
  for (const { event } of replayed) {
    if (event.type === "team.joined" && event.role === "lead") led.add(event.team);
    if (event.type === "team.left") led.delete(event.team);
  }
  return [...led];
}

function memberChanged(team: string, status: Parameters<LeadTeamOptions["onStatus"]>[0], member: Member) {
  const { color, agentType, model, backendType, sessionId, name, cwd, worktreePath, tmuxPaneId, joinedAt } = member;
  return {
    type: "member.changed" as const,
    team,
    ...status,
    role: name === teamLead ? ("lead" as const) : ("teammate" as const),
    ...(color && { color }),
    ...(agentType && { agentType }),
    ...(model && { model }),
    backendType,
    ...(sessionId && { sessionId }),
    cwd,
    joinedAt,
    ...(worktreePath && { worktreePath }),
    ...(tmuxPaneId && { tmuxPaneId }),
    ...(member.ended && { ended: member.ended.reason }),
  };
}
