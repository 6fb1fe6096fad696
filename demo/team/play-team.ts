import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createIdFactory, rejectOnAbort, systemClock, withTimeLimit } from "../../src/platform/index.ts";
import { type BackendType, type Envelope, type Event, type SessionId, TroupeError } from "../../src/protocol/index.ts";
import { type Session, startSession } from "../../src/session/index.ts";
import { createFileTeamStore } from "../../src/store/index.ts";
import { simulateCrash } from "./simulate-crash.ts";
import type { TeamDrawing } from "./draw-team.ts";
import { followMembers } from "./follow-members.ts";
import { fault, testCommand, watchCommand } from "./sample-files.ts";
import { agentTypes } from "./script/agent-types.ts";
import { prompt } from "./script/lead.ts";
import { type Pace, teamScript } from "./script/team-script.ts";
import type { Workspace } from "../shared/workspace.ts";

export const team = "demo";

export interface Stage {
  readonly cwd: string;
  readonly workspace: Workspace;
  readonly backend: BackendType;
  readonly pace: Pace;
  readonly draw: TeamDrawing;
  readonly signal: AbortSignal;
}

/** Calls allowed without a question. The tester's merge is not one of them. */
const allowed = [
  testCommand,
  `${testCommand} ${fault.test}`,
  watchCommand,
  "git commit:*",
  "git add:*",
  "troupe land:*",
];
/** No run takes this long. A longer one waits for something that never happens. */
const longestMs = 300_000;

/**
 * Runs a session as any frontend does: sends commands, reads events, answers questions. Rejects when the signal aborts.
 */
export async function playTeam(stage: Stage): Promise<SessionId> {
  return withTimeLimit(systemClock, longestMs, async (late) => {
    try {
      return await play({ ...stage, signal: AbortSignal.any([stage.signal, late]) });
    } catch (error) {
      if (!late.aborted || stage.signal.aborted) throw error;
      throw new TroupeError("team", `the team did not finish within ${longestMs / 1000} s`, { cause: error });
    }
  });
}

async function play({ cwd, workspace, backend, pace, draw, signal }: Stage): Promise<SessionId> {
  const { home } = workspace;
  const session = await startSession({
    cwd,
    env: workspace.env,
    flags: await flagsOf(workspace, { pace, backend }),
    asker: "reply",
  });
  const stored = await createFileTeamStore({ home, clock: systemClock, createId: createIdFactory(systemClock) }).open(
    team,
  );
  const leave = () => void session.close("interrupted");
  signal.addEventListener("abort", leave, { once: true });
  const pauseMs = pace === "fast" ? 0 : 800;
  const crash = simulateCrash({
    session,
    presence: stored.presence,
    backend,
    name: "implementer",
    pauseMs,
    report: draw.report,
    signal,
  });
  const members = followMembers({
    home,
    cwd,
    count: Object.keys(agentTypes).length,
    onEvent(name, envelope) {
      draw.member(name, envelope);
      if (name === crash.name) crash.onMemberEvent(envelope.event);
    },
  });
  try {
    signal.throwIfAborted();
    const following = follow(session, (envelope) => {
      // Events of members in this process arrive here too. Members are drawn from their logs, in whatever process they
      // run.
      if (envelope.session !== session.id) return;
      draw.lead(envelope);
      crash.onLeadEvent(envelope.event);
      members.onLeadEvent(envelope.event);
      if (envelope.event.type === "permission.asked") void allow(session, envelope.event, { pauseMs, signal });
    });
    await session.dispatch({ type: "prompt", content: prompt });
    await rejectOnAbort(Promise.all([crash.respawned, members.ended]), signal);
    await settle(session, signal);
    await session.close();
    await following;
    return session.id;
  } finally {
    signal.removeEventListener("abort", leave);
    await session.close("interrupted");
    await members.close();
    await stored.close();
  }
}

/** Waits until the lead has answered to everything, also to the ends of its members. */
async function settle(session: Session, signal: AbortSignal): Promise<void> {
  const stop = new AbortController();
  const events = session.events({ fresh: true, signal: AbortSignal.any([signal, stop.signal]) });
  const changes = events[Symbol.asyncIterator]();
  do await session.settled();
  while (session.backgroundRunning().length > 0 && !(await changes.next()).done);
  stop.abort();
}

async function flagsOf(workspace: Workspace, { pace, backend }: Pick<Stage, "pace" | "backend">) {
  const script = join(workspace.root, "script.json");
  await writeFile(script, `${JSON.stringify(teamScript(pace), null, 2)}\n`);
  return {
    team,
    model: `scripted/${script}`,
    agents: JSON.stringify(agentTypes),
    settings: JSON.stringify({ teams: { backend } }),
    permissionMode: "acceptEdits" as const,
    allowedTools: allowed.map((command) => `Bash(${command})`),
  };
}

async function follow(session: Session, onEvent: (envelope: Envelope) => void): Promise<void> {
  for await (const envelope of session.events()) onEvent(envelope);
}

type Asked = Extract<Event, { type: "permission.asked" }>;

/**
 * Allows a question once, as a user would. After an abort no answer is needed: closing the session settles every
 * question.
 */
async function allow(
  session: Session,
  { requestId }: Asked,
  { pauseMs, signal }: { pauseMs: number; signal: AbortSignal },
) {
  try {
    await systemClock.sleep(pauseMs, signal);
  } catch (error) {
    if (signal.aborted) return;
    throw error;
  }
  await session.dispatch({ type: "permission.reply", requestId, answer: { behavior: "allow", scope: "once" } });
}
