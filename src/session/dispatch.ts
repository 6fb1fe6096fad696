import type { Agent } from "../agent/index.ts";
import type { Ack, Command, PermissionMode } from "../protocol/index.ts";
import type { BackgroundTasks } from "../tool/index.ts";
import type { SessionHooks } from "./hooks/session-hooks.ts";
import type { PermissionBroker } from "./permission-broker.ts";

export interface DispatchPorts {
  readonly lead: Agent;
  readonly hooks?: Pick<SessionHooks, "submitted"> | undefined;
  readonly broker: PermissionBroker;
  readonly background: BackgroundTasks;
  /** Rejects with a TroupeError when the model cannot be had; then nothing has changed. */
  setModel(ref: string): Promise<void>;
  setMode(mode: PermissionMode): Promise<void>;
  reconnect(server: string): Ack;
  close(): Promise<void>;
}

const done: Ack = { ok: true };

/** Carries out one command. */
export async function dispatch(command: Command, ports: DispatchPorts): Promise<Ack> {
  const { lead, broker, background } = ports;
  if ("agent" in command && command.agent !== undefined && command.agent !== lead.path) {
    return { ok: false, code: "no_such_agent", message: `there is no agent ${command.agent}; there is: ${lead.path}` };
  }
  switch (command.type) {
    case "prompt": {
      const { content } = command;
      const said = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
      const submitted = (await ports.hooks?.submitted(said)) ?? { parts: said };
      if ("blocked" in submitted) return { ok: false, code: "blocked_by_hook", message: submitted.blocked };
      await lead.admit("user", submitted.parts);
      lead.wake();
      return done;
    }
    case "continue":
      lead.wake();
      return done;
    case "interrupt":
      await lead.interrupt();
      return done;
    case "permission.reply":
      return broker.reply(command.requestId, command.answer);
    case "set":
      if (command.model !== undefined) await ports.setModel(command.model);
      if (command.permissionMode !== undefined) await ports.setMode(command.permissionMode);
      return done;
    case "compact": {
      const { ok, message } = await lead.compact(command.instructions);
      return ok ? done : { ok: false, code: "not_compacted", message: message ?? "could not compact" };
    }
    case "background.stop": {
      const task = background.get(command.backgroundId);
      if (!task)
        return { ok: false, code: "no_such_task", message: `there is no background task ${command.backgroundId}` };
      await task.stop();
      return done;
    }
    case "mcp.reconnect":
      return ports.reconnect(command.server);
    case "close":
      await ports.close();
      return done;
  }
}
