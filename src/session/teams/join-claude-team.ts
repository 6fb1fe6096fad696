import { createIdFactory, systemClock } from "../../platform/index.ts";
import { type SessionId, teamLead, teamUser } from "../../protocol/index.ts";
import { openTeamStore, type StoredTeam } from "../../store/index.ts";
import { openMailbox } from "../../team/index.ts";
import { loadConfig } from "../config/load-config.ts";
import type { StartOptions } from "../start-session.ts";
import { launchFlagsOf } from "./launch-flags.ts";

export interface JoinOptions extends Pick<StartOptions, "cwd" | "env" | "flags" | "trust"> {
  /** The wanted name. A number is added if it is in use. */
  readonly name: string;
  /** The first message to the member. */
  readonly prompt: string | undefined;
}

/** A Troupe member in a team that Claude Code leads. */
export interface JoinedTeam {
  readonly team: string;
  readonly name: string;
  /** Resolves when the member or its team is gone, or when `signal` aborts. */
  waitUntilGone(signal: AbortSignal): Promise<void>;
  /** Removes the member from the team. */
  leave(): Promise<void>;
}

/** Joins the named team if Claude Code leads it. Returns undefined if Troupe should lead or create it. */
export async function joinClaudeTeam(options: JoinOptions): Promise<JoinedTeam | undefined> {
  const clock = systemClock;
  const createId = createIdFactory(clock);
  const { team } = options.flags;
  const config = await loadConfig(options);
  const { claudeFolder, home, cwd } = config;
  if (claudeFolder === undefined || team === undefined) return undefined;
  const store = openTeamStore({ home, claudeFolder, clock, createId });
  if (!(await store.list()).some(({ name }) => name === team)) return undefined;
  const stored = await store.open(team);
  try {
    if (!stored.reportsIdle?.(teamLead)) {
      await stored.close();
      return undefined;
    }
    await removeDeadMembers(stored);
    const { member } = await stored.record.join({
      name: options.name,
      cwd,
      backendType: "in-process",
      sessionId: createId<SessionId>("ses"),
      mode: config.permissionMode,
      launch: launchFlagsOf(options, config),
      ...(config.model !== undefined && { model: config.model }),
    });
    if (options.prompt !== undefined)
      await sendMail(stored, { to: member.name, text: options.prompt, clock, createId });
    return joined(stored, member.name);
  } catch (error) {
    await stored.close();
    throw error;
  }
}

/** Ends the entries of killed members. No other process does that. */
async function removeDeadMembers({ record, presence, reportsIdle: tellsRest }: StoredTeam): Promise<void> {
  for (const { name, ended } of (await record.read()).members) {
    if (ended || tellsRest?.(name)) continue;
    if ((await presence.look(name))?.alive === "dead") await record.end(name, { reason: "lost" });
  }
}

async function sendMail(
  stored: StoredTeam,
  { to, text, ...ports }: { to: string; text: string } & Parameters<typeof openMailbox>[1],
): Promise<void> {
  const mailbox = openMailbox(stored, ports);
  try {
    await mailbox.send({ from: teamUser, to, text });
  } finally {
    await mailbox.close();
  }
}

const joined = (stored: StoredTeam, name: string): JoinedTeam => ({
  team: stored.name,
  name,
  async waitUntilGone(signal) {
    try {
      for await (const { members } of stored.record.follow(signal))
        if (members.every((member) => member.name !== name || member.ended)) return;
    } catch {
      // If the team's config cannot be read, there is no team any more.
    }
  },
  async leave() {
    try {
      await stored.record.end(name, { reason: "shutdown" });
    } catch {
      // The team no longer exists, so there is nothing to leave.
    } finally {
      await stored.close();
    }
  },
});
