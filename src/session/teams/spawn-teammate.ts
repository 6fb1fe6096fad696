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
    // The call was repeated, and the first one started the teammate in its own worktree.
    if (!isNew) await worktree?.finish();
    if (!isNew) return spawned(member, team.name, notices);
    // The teammate runs from here on. It keeps its worktree and its slot, even if the lead fails.
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
    model: member.model ?? start.ports.runtime().model().ref,
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

function spawned(member: Member, team: string, notices: readonly string[]): ToolResult {
  const notes = notices.map((notice) => `Note: ${notice}`);
  const worktreeNote =
    member.worktreePath === undefined ? [] : [`It works in ${member.worktreePath} on branch ${member.worktreeBranch}.`];
  const remoteJob =
    member.worker === undefined
      ? []
      : [`It works on another machine. Its commits arrive here on branch ${member.worker.branch}.`];
  return textResult(
    [
      ...notes,
      `Teammate ${member.name} (${member.agentId}) has started in team ${team}.`,
      ...worktreeNote,
      ...remoteJob,
      "It works independently, and you receive its report when it is done. Use SendMessage to talk to it.",
    ].join("\n"),
  );
}
