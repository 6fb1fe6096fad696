import { type AgentPath, leadPath } from "../../protocol/index.ts";
import {
  createAgentTool,
  createSendMessageTool,
  type ParentAgent,
  type RepositoryContext,
  type SubagentRegistry,
  type TeammateStarter,
} from "../../team/index.ts";
import type { Tool } from "../../tool/index.ts";
import type { AgentRuntime } from "../agent-runtime/agent-runtime.ts";
import type { SessionContext } from "../session-context.ts";
import { landTools } from "./session-land-tool.ts";
import type { SessionSubagents } from "./subagents.ts";

/** The agent that gets the tools. */
export interface ToolOwner {
  readonly runtime: AgentRuntime;
  readonly path: AgentPath;
  readonly teammates?: TeammateStarter | undefined;
}

export interface SubagentToolPorts extends Pick<SessionSubagents, "delegate"> {
  readonly session: SessionContext;
  readonly subagents: SubagentRegistry;
  readonly place: RepositoryContext;
  readonly leadTools: () => readonly Tool[];
  /** Resolves when the user sends foreground agents to the background, or on abort. */
  readonly sentToBackground: (signal: AbortSignal) => Promise<void>;
}

/** How long an agent works in the foreground before it moves to the background automatically. */
const defaultBackgroundAfterMs = 120_000;

/** The tools with which an agent starts other agents, sends them messages and lands their work. */
export function subagentTools({ runtime, path, teammates }: ToolOwner, ports: SubagentToolPorts): readonly Tool[] {
  const { session, subagents, place, leadTools, delegate } = ports;
  const { config, log, role } = session;
  return [
    createAgentTool({
      subagents,
      parent: () => parentOf(runtime, path),
      backgroundAfterMs: config.subagents.handOverMs ?? defaultBackgroundAfterMs,
      clock: session.ports.clock,
      forks: role.forks,
      coordinator: role.coordinator !== undefined,
      hasUser: path === leadPath && session.ports.asker === "reply",
      mode: role.agent.rights.permissionMode,
      teammates,
      sentToBackground: ports.sentToBackground,
    }),
    createSendMessageTool({ subagents }),
    ...landTools(path, {
      place,
      worktrees: session.ports.worktrees,
      settings: config,
      log,
      leadTools,
      teammates,
      runtime,
      delegate,
    }),
  ];
}

const parentOf = (runtime: AgentRuntime, path: AgentPath): ParentAgent => ({
  id: runtime.id,
  path,
  model: runtime.model().ref,
  mode: runtime.mode(),
  cwd: runtime.cwd(),
  roots: runtime.policy.roots,
  isFork: runtime.conversation.isFork,
  turn: runtime.conversation.turn,
});
