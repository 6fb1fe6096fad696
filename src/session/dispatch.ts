import type { Agent } from "../agent/index.ts";
import { nearestName } from "../platform/index.ts";
import type { Ack, AgentPath, Command, PermissionMode } from "../protocol/index.ts";
import type { BackgroundJobs } from "../tool/index.ts";
import type { PermissionBroker } from "./permissions/permission-broker.ts";

export interface DispatchPorts {
  readonly lead: Agent;
  readonly broker: PermissionBroker;
  readonly background: BackgroundJobs;
  /** Rejects with a TroupeError when the model is not available. Then nothing changes. */
  setModel(ref: string): Promise<void>;
  setMode(mode: PermissionMode): Promise<void>;
  submitPrompt(content: Extract<Command, { type: "prompt" }>["content"]): Promise<Ack>;
  sendToBackground(): void;
  /** Sends a prompt to an agent other than the lead. Undefined if there is no such agent. */
  submitPromptTo(path: AgentPath, content: Extract<Command, { type: "prompt" }>["content"]): Promise<Ack | undefined>;
  paths(): readonly AgentPath[];
  /** Interrupts an agent other than the lead. False if there is no such agent. */
  interruptAgent(path: AgentPath): Promise<boolean>;
  reconnect(server: string): Ack;
  /** Runs a command for mail, members or tasks. */
  team(command: TeamCommand): Promise<Ack>;
  close(): Promise<void>;
}

export type TeamCommand = Extract<Command, { type: `mail.${string}` | `member.${string}` | `task.${string}` }>;

const done: Ack = { ok: true };

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
        return { ok: false, code: "no_such_task", message: `there is no background job ${command.backgroundId}` };
      await task.stop("user");
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

/** Runs a command for an agent other than the lead. Undefined if there is no such agent. */
async function dispatchToAgent(command: Command, path: AgentPath, ports: DispatchPorts): Promise<Ack | undefined> {
  if (command.type === "prompt") return ports.submitPromptTo(path, command.content);
  if (command.type === "interrupt") return (await ports.interruptAgent(path)) ? done : undefined;
  if (!ports.paths().includes(path)) return undefined;
  const message = `cannot send ${command.type} to ${path}: only the lead accepts it. Other agents accept prompt and interrupt.`;
  return { ok: false, code: "only_lead", message };
}

function noSuchAgent(path: AgentPath, ports: DispatchPorts): Ack {
  const known = [ports.lead.path, ...ports.paths()];
  const near = nearestName(path, known);
  const hint = near === undefined ? "" : ` Did you mean ${near}?`;
  const more = known.length > 30 ? ` and ${known.length - 30} more` : "";
  const message = `there is no agent ${path}.${hint} Known agents: ${known.slice(0, 30).join(", ")}${more}`;
  return { ok: false, code: "no_such_agent", message };
}

/** Runs the command `compact` and the slash command `/compact`. */
export async function compactLead(lead: Agent, instructions: string | undefined): Promise<Ack> {
  const { ok, message } = await lead.compact(instructions);
  return ok ? done : { ok: false, code: "not_compacted", message: message ?? "compaction failed" };
}
