import { isReadOnlyType } from "../../agent/definitions/index.ts";
import { repositoryFolder } from "../../platform/index.ts";
import { type AgentId, leadPath, type Member, type SessionId, teamLead, TroupeError } from "../../protocol/index.ts";
import {
  handOverTask,
  type ParentAgent,
  type ResolvedSpawn,
  type SpawnRequest,
  type TeammateSpawnRequest,
} from "../../team/index.ts";
import { textResult, type ToolResult } from "../../tool/index.ts";
import type { LeadRoleOptions, TeamRegistry } from "./team-registry.ts";
import type { TeamPorts } from "./team-role.ts";
import { branchUseOf, refusalOf } from "./team-tools.ts";

export interface SpawnTeammatePorts {
  readonly registry: TeamRegistry;
  readonly options: Pick<LeadRoleOptions, "resolver" | "launch" | "createId" | "jobs" | "settings">;
  readonly ports: TeamPorts;
}

/** Starts a teammate for a call of the Agent tool. Rejects with a TroupeError whose message is for the model. */
export async function spawnTeammate(
  asked: TeammateSpawnRequest,
  parent: ParentAgent,
  { registry, options, ports }: SpawnTeammatePorts,
): Promise<ToolResult> {
  const teammateRequest = plansFirst(asked, parent);
  const team = registry.get(teammateRequest.team);
  const { coordinator } = ports.shared.session.role;
  const commits = await commitsIn(parent.cwd, ports);
  const facts = (member: Member) => ({
    team: team.name,
    cwd: parent.cwd,
    commits,
    onlyReads: branchUseOf(member.name, { ports, members: () => [member] }) === "compare",
  });
  const known = team
    .members()
    .find(({ callId, startedBy }) => callId === teammateRequest.callId && startedBy === parent.id);
  if (known) return spawned(known, { ...facts(known), notices: [] });
  const resolved = options.resolver.resolve(parent, {
    ...teammateRequest,
    type: teammateRequest.type ?? "general-purpose",
  });
  if (!ports.subagents) throw new TroupeError("agent", "This session cannot start agents.");
  if (teammateRequest.planModeRequired && resolved.definition.backend === "acp")
    throw new TroupeError(
      "agent",
      `Agent type ${resolved.definition.name} runs in an external program that cannot present a plan. Remove plan_mode_required or choose another type.`,
    );
  const sessionId = options.createId<SessionId>("ses");
  const remoteJob = isRemote(teammateRequest, resolved, options)
    ? await options.jobs?.prepare({ definition: resolved.definition, cwd: resolved.cwd, sessionId })
    : undefined;
  const by = team.members().find(({ agentId }) => agentId === parent.id)?.name ?? teamLead;
  const { task: taskId, name: wantedName } = teammateRequest;
  const slot = await ports.subagents.acquireSlot(parent, teammateRequest.signal);
  let isSlotUsed = false;
  try {
    const handover = taskId === undefined ? undefined : await handOverTask(team, { taskId, name: wantedName, by });
    const undo = async (error: unknown): Promise<never> => {
      await handover?.undo();
      throw error;
    };
    const worktree = resolved.isolated
      ? await ports.subagents
          .isolate({ label: teammateRequest.name, cwd: resolved.cwd }, teammateRequest.signal)
          .catch(undo)
      : undefined;
    const spawn = await team
      .spawn({
        name: teammateRequest.name,
        description: teammateRequest.description,
        prompt: [resolved.definition.initialPrompt, teammateRequest.prompt]
          .filter((text) => text !== undefined)
          .join("\n\n"),
        agentType: resolved.definition.name,
        model: resolved.model,
        mode: resolved.mode,
        color: resolved.definition.color,
        planModeRequired: teammateRequest.planModeRequired,
        cwd: resolved.cwd,
        worktree: worktree && { path: worktree.path, branch: worktree.branch },
        ...(remoteJob && { backend: "remote" as const, worker: remoteJob.worker }),
        sessionId,
        launch: { ...options.launch, ...(coordinator && { scratchpad: coordinator.scratchpad }) },
        startedBy: parent.id,
        callId: teammateRequest.callId,
      })
      .catch(async (error: unknown) => {
        await worktree?.finish();
        return undo(error);
      });
    const { member, isNew, notices } = spawn;
    // The call was repeated, and the first one started the teammate in its own worktree.
    if (!isNew) await worktree?.finish();
    if (!isNew) return spawned(member, { ...facts(member), notices });
    // The teammate runs from here on. It keeps its worktree and its slot, even if the lead fails.
    isSlotUsed = true;
    registry.teammateStarted(team.name, member.name, slot);
    const { name, model = resolved.model, color } = member;
    await ports.agent.record({
      type: "member.joined",
      team: team.name,
      name,
      sessionId: member.sessionId ?? sessionId,
      agentType: resolved.definition.name,
      model,
      ...(color && { color }),
      ...(worktree && !worktree.hookMade && { worktreePath: worktree.path }),
    });
    const allNotices = [
      ...(resolved.modeNote === undefined ? [] : [resolved.modeNote]),
      ...takenNameNote(teammateRequest.name, name, team.current().members),
      ...planNote(teammateRequest, resolved),
      ...notices,
      ...(worktree?.notices ?? []),
      ...(remoteJob?.notices ?? []),
    ];
    const task = await handover?.confirm(member);
    return spawned(member, { ...facts(member), notices: allNotices, task });
  } finally {
    if (!isSlotUsed) slot.release();
  }
}

/** Mode `plan` means the same as `plan_mode_required`: after the plan, the teammate has the mode that it has without it. */
const plansFirst = (asked: TeammateSpawnRequest, parent: ParentAgent): TeammateSpawnRequest =>
  asked.mode === "plan" && parent.mode !== "plan" ? { ...asked, mode: undefined, planModeRequired: true } : asked;

/**
 * Returns true if a worker should run the teammate: by the call, by its type, or by the settings if neither says
 * otherwise.
 */
function isRemote(
  { isolation, cwd }: TeammateSpawnRequest,
  { remote, definition }: ResolvedSpawn,
  { jobs, settings }: SpawnTeammatePorts["options"],
): boolean {
  if (remote) return true;
  const isDefault = settings.backend === "remote" && isolation === undefined && definition.isolation === undefined;
  if (!isDefault || definition.backend === "acp") return false;
  if (cwd !== undefined)
    throw new TroupeError(
      "agent",
      "Cannot use cwd: teammates run on other machines, which do not have that folder. Remove cwd.",
    );
  if (!jobs)
    throw new TroupeError(
      "agent",
      "Cannot start the teammate: teams.backend is remote, but no bus is configured. Ask the user to start with --bus nats://host:4222.",
    );
  return true;
}

/** Starts a teammate at the request of a member, with that member's rights and in its folder. */
export async function spawnForMember(
  { team, member, request }: { team: string; member: Member; request: SpawnRequest },
  start: SpawnTeammatePorts,
): Promise<string> {
  const { kind: _, requestId: __, callerMode, ...teammateRequest } = request;
  const cwd = member.worktreePath ?? member.cwd;
  const parent: ParentAgent = {
    id: member.agentId as AgentId,
    path: leadPath,
    model: member.model ?? start.ports.runtime.model().ref,
    // A member in plan mode must not start teammates with more rights.
    mode: callerMode === "plan" ? "plan" : (member.mode ?? "default"),
    cwd,
    roots: [cwd],
    isFork: false,
    turn: 0,
  };
  const { content } = await spawnTeammate({ ...teammateRequest, team, signal: start.registry.closed }, parent, start);
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

/** Without a user, a commit that needs permission is refused. Outside a repository there is nothing to ask git about. */
async function commitsIn(cwd: string, ports: TeamPorts): Promise<SpawnedFacts["commits"]> {
  const { asker } = ports.shared.session.ports;
  if (asker === "reply" || typeof asker === "function") return "possible";
  if (repositoryFolder(cwd) === undefined) return "no repository";
  return (await refusalOf("git commit -m work", ports)) === undefined ? "possible" : "refused";
}

function takenNameNote(asked: string, name: string, members: readonly Member[]): readonly string[] {
  if (asked === name) return [];
  const earlier = members.find((each) => each.name === asked);
  if (earlier?.ended) {
    const branch = earlier.worktreeBranch;
    const work = branch === undefined ? "" : ` The work of ${asked} is on the branch ${branch}.`;
    return [`${asked} has ended, and its name stays its own, so this one is ${name}.${work}`];
  }
  return [
    `${asked} is in the team already, so this one is ${name}. To give ${asked} more work, use SendMessage. If you meant that, ask ${name} to end.`,
  ];
}

const planNote = ({ planModeRequired }: TeammateSpawnRequest, { definition }: ResolvedSpawn) =>
  planModeRequired && isReadOnlyType(definition)
    ? [`plan_mode_required has no effect: ${definition.name} only reads and has no plan to carry out.`]
    : [];

interface SpawnedFacts {
  readonly team: string;
  /** The folder of the agent that started it. */
  readonly cwd: string;
  readonly notices: readonly string[];
  /** `refused`: no agent of this run can commit in the folder of its lead. A folder without git has no commits at all. */
  readonly commits: "possible" | "refused" | "no repository";
  /** Its type only reads. */
  readonly onlyReads: boolean;
  readonly task?: string | undefined;
}

function spawned(member: Member, { team, cwd, commits, notices, onlyReads, task }: SpawnedFacts): ToolResult {
  const notes = notices.map((notice) => `Note: ${notice}`);
  return textResult(
    [
      ...notes,
      `Teammate ${member.name} (${member.agentId}) has started in team ${team}.`,
      onlyReads
        ? `It only reads, in ${member.worktreePath ?? member.cwd}: there is nothing to land.`
        : placeText(member, { cwd, commits }),
      ...(member.planModeRequired && !onlyReads
        ? ["It only reads until you approve its plan, which reaches you as a message."]
        : []),
      ...(task === undefined ? [] : [task]),
      "It works independently, and you receive its report when it is done. Use SendMessage to talk to it.",
    ].join("\n"),
  );
}

/** Where a teammate works, and how its work reaches the agent that started it. */
function placeText(
  { worktreePath, worktreeBranch, worker, cwd }: Member,
  { cwd: own, commits }: Pick<SpawnedFacts, "cwd" | "commits">,
): string {
  if (worker !== undefined) return `It works on another machine. Its commits arrive here on branch ${worker.branch}.`;
  if (worktreePath !== undefined)
    return `It works in ${worktreePath} on branch ${worktreeBranch}. Only commits land: when it has reported, bring them to your branch with Land (branches: [${JSON.stringify(worktreeBranch)}]).`;
  const uncommitted =
    commits !== "refused"
      ? ""
      : " No agent can commit in this folder in this run: its changes stay uncommitted. If they must be landed, start it with isolation: worktree.";
  return cwd === own
    ? `It works in your folder, ${cwd}, and has no separate branch: you see its changes there at once, and there is nothing to land.${uncommitted}`
    : `It works in ${cwd} and has no separate branch: its changes are in that folder, and there is nothing to land.`;
}
