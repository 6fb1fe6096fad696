import { type AgentId, leadPath, type Member, type SessionId, TroupeError } from "../../protocol/index.ts";
import type { ParentAgent, ResolvedSpawn, SpawnRequest, TeammateSpawnRequest } from "../../team/index.ts";
import { textResult, type ToolResult } from "../../tool/index.ts";
import type { LeadRoleOptions, TeamRegistry } from "./team-registry.ts";
import type { TeamPorts } from "./team-role.ts";

export interface SpawnTeammatePorts {
  readonly registry: TeamRegistry;
  readonly options: Pick<LeadRoleOptions, "resolver" | "launch" | "createId" | "jobs" | "settings">;
  readonly ports: TeamPorts;
}

/** Starts a teammate for a call of the Agent tool. Rejects with a TroupeError whose message is for the model. */
export async function spawnTeammate(
  teammateRequest: TeammateSpawnRequest,
  parent: ParentAgent,
  { registry, options, ports }: SpawnTeammatePorts,
): Promise<ToolResult> {
  const team = registry.get(teammateRequest.team);
  const { coordinator } = ports.shared.parts;
  const known = team
    .members()
    .find(({ callId, startedBy }) => callId === teammateRequest.callId && startedBy === parent.id);
  if (known) return spawned(known, team.name, []);
  const resolved = options.resolver.resolve(parent, {
    ...teammateRequest,
    type: teammateRequest.type ?? "general-purpose",
  });
  if (!ports.subagents) throw new TroupeError("agent", "This session starts no agents.");
  if (teammateRequest.planModeRequired && resolved.definition.backend === "acp")
    throw new TroupeError(
      "agent",
      `Agents of the type ${resolved.definition.name} are run by another program, which presents no plans and is kept from nothing until then: leave plan_mode_required out, or take another type.`,
    );
  const sessionId = options.createId<SessionId>("ses");
  const remoteJob = isRemote(teammateRequest, resolved, options)
    ? await options.jobs?.prepare({ definition: resolved.definition, cwd: resolved.cwd, sessionId })
    : undefined;
  const slot = await ports.subagents.acquireSlot(parent, teammateRequest.signal);
  let isSlotUsed = false;
  try {
    const worktree = resolved.isolated
      ? await ports.subagents.isolate(resolved.cwd, teammateRequest.signal)
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
        throw error;
      });
    const { member, isNew, notices } = spawn;
    // The call was made twice, and the other one has begun it, in a worktree of its own.
    if (!isNew) await worktree?.finish();
    if (!isNew) return spawned(member, team.name, notices);
    // From here on it works there: whatever goes wrong with the lead, its worktree is its own, and so is its place.
    isSlotUsed = true;
    registry.teammateStarted(team.name, member.name, slot);
    const { name, model = resolved.model, color } = member;
    await ports.agent().record({
      type: "member.joined",
      team: team.name,
      name,
      sessionId: member.sessionId ?? sessionId,
      agentType: resolved.definition.name,
      model,
      ...(color && { color }),
    });
    return spawned(member, team.name, [...notices, ...(worktree?.notices ?? []), ...(remoteJob?.notices ?? [])]);
  } finally {
    if (!isSlotUsed) slot.release();
  }
}

/** Whether a worker is to run it: the call says so, its type, or the settings where neither says anything else. */
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
      "Teammates run on other machines here, which do not have that folder: leave cwd out.",
    );
  if (!jobs)
    throw new TroupeError(
      "agent",
      "Teammates are to run on other machines (teams.backend), and there is no bus to them: the user can give one with --bus nats://host:4222.",
    );
  return true;
}

/** The same for a member that has asked its lead for one: with the rights of who asked, and in its folder. */
export async function spawnForMember(
  { team, member, request }: { team: string; member: Member; request: SpawnRequest },
  start: SpawnTeammatePorts,
): Promise<string> {
  const { kind: _, requestId: __, callerMode, ...teammateRequest } = request;
  const cwd = member.worktreePath ?? member.cwd;
  const parent: ParentAgent = {
    id: member.agentId as AgentId,
    path: leadPath,
    model: member.model ?? start.ports.runtime().model().ref,
    // Who may only plan starts nobody who may do more.
    mode: callerMode === "plan" ? "plan" : (member.mode ?? "default"),
    cwd,
    roots: [cwd],
    isFork: false,
    turn: 0,
  };
  const { content } = await spawnTeammate({ ...teammateRequest, team, signal: start.registry.closed }, parent, start);
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

function spawned(member: Member, team: string, notices: readonly string[]): ToolResult {
  const notes = notices.map((notice) => `Note: ${notice}`);
  const worktreeNote =
    member.worktreePath === undefined ? [] : [`It works in ${member.worktreePath} on ${member.worktreeBranch}.`];
  const remoteJob =
    member.worker === undefined
      ? []
      : [`It works on another machine; its commits come to the branch ${member.worker.branch} here.`];
  return textResult(
    [
      ...notes,
      `Teammate ${member.name} (${member.agentId}) has begun in the team ${team}.`,
      ...worktreeNote,
      ...remoteJob,
      "It works by itself; its report comes to you when it is done. Speak to it with SendMessage.",
    ].join("\n"),
  );
}
