import type { Command, SessionId } from "../../../src/protocol/index.ts";
import { type BackgroundView, itemsOf, type SessionView } from "../../../src/view/index.ts";
import type { RosterEntry } from "./roster.ts";

/** A command and the session that receives it. */
export interface AddressedCommand {
  readonly session: SessionId;
  readonly command: Command;
}

/** The commands for an agent; undefined if not applicable. */
export interface AgentCommands {
  prompt(text: string): AddressedCommand | undefined;
  readonly interrupt: AddressedCommand | undefined;
  /** Stops it. For a lead, closes the session. */
  readonly stop: AddressedCommand | undefined;
  /** Stops a member at once, without its answer. */
  readonly stopNow: AddressedCommand | undefined;
  readonly respawn: AddressedCommand | undefined;
}

/** `session` is the open one: the members of its team are reached through it. */
export function commandsFor(entry: RosterEntry, session: SessionId, view: SessionView | undefined): AgentCommands {
  const hasEnded = entry.state === "ended" || entry.state === "failed" || entry.state === "stopped";
  const isWorking = !hasEnded && entry.state !== "idle";
  const { member } = entry;
  if (member) {
    const { team, name } = member;
    const to = (command: Command): AddressedCommand => ({ session, command });
    return {
      prompt: (text) => (hasEnded ? undefined : to({ type: "mail.send", team, to: name, text })),
      interrupt: isWorking ? to({ type: "member.interrupt", team, name }) : undefined,
      stop: hasEnded ? undefined : to({ type: "member.stop", team, name }),
      stopNow: hasEnded ? undefined : to({ type: "member.stop", team, name, now: true }),
      respawn: hasEnded ? to({ type: "member.respawn", team, name }) : undefined,
    };
  }
  const own = entry.session ?? session;
  const to = (command: Command): AddressedCommand => ({ session: own, command });
  if (entry.kind === "lead") {
    return {
      prompt: (text) => to({ type: "prompt", content: text }),
      interrupt: isWorking ? to({ type: "interrupt" }) : undefined,
      stop: to({ type: "close" }),
      stopNow: undefined,
      respawn: undefined,
    };
  }
  const path = entry.agent?.path;
  const task = view && entry.agent && runningTask(view, entry.agent.id);
  return {
    prompt: (text) => (path === undefined ? undefined : to({ type: "prompt", agent: path, content: text })),
    interrupt: isWorking && path !== undefined ? to({ type: "interrupt", agent: path }) : undefined,
    stop: task ? to({ type: "background.stop", backgroundId: task.backgroundId }) : undefined,
    stopNow: undefined,
    respawn: undefined,
  };
}

function runningTask(view: SessionView, agent: string): BackgroundView | undefined {
  for (const task of itemsOf(view.background)) if (task.runs === agent && task.status === "running") return task;
  return undefined;
}
