import { forkInstructions } from "../../agent/index.ts";
import type { AgentId, AgentPath } from "../../protocol/index.ts";
import type { AgentSlot } from "../limits/agent-slots.ts";
import { buildSubagent } from "./build-subagent.ts";
import type { ResolvedSpawn } from "./resolve-spawn.ts";
import type { ParentAgent, StartedSubagent, SubagentRegistryOptions, SubagentRequest } from "./subagent-registry.ts";
import type { Isolation, RuntimeSource } from "./subagent-runtime.ts";

export interface SubagentToOpen extends ResolvedSpawn {
  readonly parent: ParentAgent;
  readonly request: SubagentRequest;
  readonly slot: AgentSlot;
}

/** Opens a new subagent and records its start. Its worktree is kept or removed if that fails. */
export async function openSubagent(wanted: SubagentToOpen, options: SubagentRegistryOptions): Promise<StartedSubagent> {
  const { parent, request, definition, slot, fork } = wanted;
  const { name, description, callId, signal } = request;
  const agentId = options.createId<AgentId>("agt");
  const background = options.coordinator || (request.background ?? definition.background ?? false);
  const source: RuntimeSource = wanted.remote
    ? { kind: "remote", isSubmitted: false }
    : { kind: "new", worktreeLabel: wanted.isolated ? (name ?? definition.name) : undefined };
  const { subagent, runtime, worktree } = await buildSubagent(
    {
      request: {
        agentId,
        parent: parent.id,
        path: pathOf(wanted, agentId),
        definition,
        kind: background ? "background" : "foreground",
        fork,
        model: wanted.model,
        mode: wanted.mode,
        cwd: wanted.cwd,
        signal,
      },
      name,
      description,
      callId,
      forkedAt: fork ? parent.turn : undefined,
    },
    source,
    options,
  );
  const notices = [wanted.modeNote ?? [], runtime.notices, worktree?.notices ?? []].flat();
  return { subagent, slot, prompt: firstPrompt(wanted, worktree), background, notices };
}

const pathOf = ({ parent, request, fork, definition }: SubagentToOpen, id: AgentId) =>
  `${parent.path}/${request.name ?? `${fork ? "fork" : definition.name}-${id.slice(-6)}`}` as AgentPath;

function firstPrompt({ fork, definition, request, parent }: SubagentToOpen, worktree: Isolation | undefined): string {
  const { prompt } = request;
  if (fork) return forkInstructions({ prompt, worktree: worktree && { path: worktree.path, parentCwd: parent.cwd } });
  return definition.initialPrompt === undefined ? prompt : `${definition.initialPrompt}\n\n${prompt}`;
}
