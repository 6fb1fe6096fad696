import type { Agent } from "../agent/index.ts";
import type { Ack, AgentPath, Command, PermissionMode } from "../protocol/index.ts";
import type { BackgroundTasks } from "../tool/index.ts";
import type { PermissionBroker } from "./permission-broker.ts";

export interface DispatchPorts {
  readonly lead: Agent;
  readonly broker: PermissionBroker;
  readonly background: BackgroundTasks;
  /** Rejects with a TroupeError when the model cannot be had; then nothing has changed. */
  setModel(ref: string): Promise<void>;
  setMode(mode: PermissionMode): Promise<void>;
  say(content: Extract<Command, { type: "prompt" }>["content"]): Promise<Ack>;
  sendToBackground(): void;
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
  if (command.type === "interrupt" && command.agent !== undefined && command.agent !== lead.path) {
    if (await ports.interruptAgent(command.agent)) return done;
  }
  if ("agent" in command && command.agent !== undefined && command.agent !== lead.path) {
    return { ok: false, code: "no_such_agent", message: `there is no agent ${command.agent}; there is: ${lead.path}` };
  }
  switch (command.type) {
    case "prompt":
      return ports.say(command.content);
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

/** What `compact` does, and `/compact`. */
export async function compactLead(lead: Agent, instructions: string | undefined): Promise<Ack> {
  const { ok, message } = await lead.compact(instructions);
  return ok ? done : { ok: false, code: "not_compacted", message: message ?? "could not compact" };
}
