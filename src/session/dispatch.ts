import type { Agent } from "../agent/index.ts";
import { nearestName } from "../platform/index.ts";
import type { Ack, AgentPath, Command, PermissionMode } from "../protocol/index.ts";
import type { BackgroundJobs } from "../tool/index.ts";
import type { PermissionBroker } from "./permissions/permission-broker.ts";

export interface DispatchPorts {
  readonly lead: Agent;
  readonly broker: PermissionBroker;
  readonly background: BackgroundJobs;
  /** Rejects with a TroupeError when the model cannot be had; then nothing has changed. */
  setModel(ref: string): Promise<void>;
  setMode(mode: PermissionMode): Promise<void>;
  submitPrompt(content: Extract<Command, { type: "prompt" }>["content"]): Promise<Ack>;
  sendToBackground(): void;
  /** Says it to the agent of this path, which is not the lead; undefined where there is none. */
  submitPromptTo(path: AgentPath, content: Extract<Command, { type: "prompt" }>["content"]): Promise<Ack | undefined>;
  /** The paths of the agents that there are. */
  paths(): readonly AgentPath[];
  /** Stops what the agent of this path does; false where there is none. */
  interruptAgent(path: AgentPath): Promise<boolean>;
  reconnect(server: string): Ack;
  /** What concerns the team that this session leads, and task lists. */
  team(command: TeamCommand): Promise<Ack>;
  close(): Promise<void>;
}

export type TeamCommand = Extract<Command, { type: `mail.${string}` | `member.${string}` | `task.${string}` }>;

const done: Ack = { ok: true };

/** Carries out one command. */
export async function dispatch(command: Command, ports: DispatchPorts): Promise<Ack> {
  const { lead, broker, background } = ports;
  if ("agent" in command && command.agent !== undefined && command.agent !== lead.path) {
    return (await dispatchToAgent(command, command.agent, ports)) ?? noSuchAgent(command.agent, ports);
  }
  switch (command.type) {
    case "prompt":
      return ports.submitPrompt(command.content);
    case "continue":
      lead.resume();
      return done;
    case "interrupt":
      await lead.interrupt();
      return done;
    case "permission.reply":
      return broker.reply(command.requestId, command.answer);
    case "permission.abandon":
      broker.abandon();
      return done;
    case "set":
      if (command.model !== undefined) await ports.setModel(command.model);
      if (command.permissionMode !== undefined) await ports.setMode(command.permissionMode);
      return done;
    case "compact":
      return compactLead(lead, command.instructions);
    case "background.stop": {
      const task = background.get(command.backgroundId);
      if (!task)
        return { ok: false, code: "no_such_task", message: `there is no background task ${command.backgroundId}` };
      await task.stop();
      return done;
    }
    case "background":
      ports.sendToBackground();
      return done;
    case "mcp.reconnect":
      return ports.reconnect(command.server);
    case "mail.send":
    case "member.interrupt":
    case "member.stop":
    case "member.respawn":
    case "member.set":
    case "task.create":
    case "task.update":
      return ports.team(command);
    case "close":
      await ports.close();
      return done;
  }
}

/** What can be asked of an agent other than the lead. Undefined: there is no such agent. */
async function dispatchToAgent(command: Command, path: AgentPath, ports: DispatchPorts): Promise<Ack | undefined> {
  if (command.type === "prompt") return ports.submitPromptTo(path, command.content);
  if (command.type === "interrupt") return (await ports.interruptAgent(path)) ? done : undefined;
  if (!ports.paths().includes(path)) return undefined;
  const message = `${command.type} is for the lead alone: ${path} can be spoken to (prompt) and interrupted`;
  return { ok: false, code: "only_lead", message };
}

function noSuchAgent(path: AgentPath, ports: DispatchPorts): Ack {
  const known = [ports.lead.path, ...ports.paths()];
  const near = nearestName(path, known);
  const hint = near === undefined ? "" : ` Did you mean ${near}?`;
  const more = known.length > 30 ? ` and ${known.length - 30} more` : "";
  const message = `there is no agent ${path}.${hint} There are: ${known.slice(0, 30).join(", ")}${more}`;
  return { ok: false, code: "no_such_agent", message };
}

/** What `compact` does, and `/compact`. */
export async function compactLead(lead: Agent, instructions: string | undefined): Promise<Ack> {
  const { ok, message } = await lead.compact(instructions);
  return ok ? done : { ok: false, code: "not_compacted", message: message ?? "could not compact" };
}
