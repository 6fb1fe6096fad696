import { nearestName } from "../platform/index.ts";
import type { Ack, AgentPath, Command } from "../protocol/index.ts";
import { rewindSession } from "./checkpoints/rewind-session.ts";
import type { SessionRuntime } from "./session-runtime.ts";
import { compactLead, submitUserPrompt } from "./submit-user-prompt.ts";

export type TeamCommand = Extract<Command, { type: `mail.${string}` | `member.${string}` | `task.${string}` }>;

const done: Ack = { ok: true };

/** Runs a command of the user. Rejects with a TroupeError for a caller's mistake. */
export async function dispatch(command: Command, session: SessionRuntime, close: () => Promise<void>): Promise<Ack> {
  const { own, broker, subagents } = session;
  const { agent: lead, background } = own;
  if ("agent" in command && command.agent !== undefined && command.agent !== lead.path) {
    return (await dispatchToAgent(command, command.agent, session)) ?? noSuchAgent(command.agent, session);
  }
  switch (command.type) {
    case "prompt":
      return submitUserPrompt(command.content, session);
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
      if (command.model !== undefined) await own.setModel(command.model);
      if (command.permissionMode !== undefined) await own.setMode(command.permissionMode);
      if (command.effort !== undefined) {
        await own.agent.record({ type: "agent.changed", effort: command.effort });
        session.context.models.thinking.setEffort(command.effort);
      }
      return done;
    case "compact":
      return compactLead(lead, command.instructions);
    case "rewind":
      return rewindSession(command, session);
    case "background.stop": {
      const task = background.tasks.get(command.backgroundId);
      if (!task)
        return { ok: false, code: "no_such_task", message: `there is no background job ${command.backgroundId}` };
      await task.stop("user");
      return done;
    }
    case "background":
      subagents.sendToBackground();
      return done;
    case "mcp.reconnect":
      return session.context.extensions.mcp?.reconnect(command.server) ?? noServers;
    case "mail.send":
    case "member.interrupt":
    case "member.stop":
    case "member.respawn":
    case "member.set":
    case "task.create":
    case "task.update":
      return session.team.dispatch(command);
    case "session.rename":
      await session.name.set(command.name);
      return done;
    case "close":
      await close();
      return done;
  }
}

/** Runs a command for an agent other than the session's own. Undefined if there is no such agent. */
async function dispatchToAgent(
  command: Command,
  path: AgentPath,
  { subagents }: SessionRuntime,
): Promise<Ack | undefined> {
  if (command.type === "prompt") {
    const { content } = command;
    return subagents.sendPrompt(path, typeof content === "string" ? [{ type: "text", text: content }] : content);
  }
  if (command.type === "interrupt") return (await subagents.interrupt(path)) ? done : undefined;
  if (!subagents.paths().includes(path)) return undefined;
  const message = `cannot send ${command.type} to ${path}: only the lead accepts it. Other agents accept prompt and interrupt.`;
  return { ok: false, code: "only_lead", message };
}

function noSuchAgent(path: AgentPath, { own, subagents }: SessionRuntime): Ack {
  const known = [own.agent.path, ...subagents.paths()];
  const near = nearestName(path, known);
  const hint = near === undefined ? "" : ` Did you mean ${near}?`;
  const more = known.length > 30 ? ` and ${known.length - 30} more` : "";
  const message = `there is no agent ${path}.${hint} Known agents: ${known.slice(0, 30).join(", ")}${more}`;
  return { ok: false, code: "no_such_agent", message };
}

const noServers: Ack = { ok: false, code: "no_such_server", message: "this session has no MCP servers" };
