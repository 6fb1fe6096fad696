import { createScriptedModel } from "../../model/scripted/index.ts";
import { systemClock } from "../../platform/index.ts";
import type { AgentId, Envelope, SessionId } from "../../protocol/index.ts";
import { type RunOutcome, type Session, startSession } from "../../session/index.ts";
import type { SessionView } from "../../view/index.ts";
import type { Scenario } from "./scenario.ts";

export interface Stage {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly draw: (envelope: Envelope) => void;
  readonly signal: AbortSignal;
}

export interface Played {
  readonly sessionId: SessionId;
  readonly outcome: RunOutcome | undefined;
  readonly view: SessionView;
  /** The branch of each agent that had a worktree. */
  readonly branches: ReadonlyMap<AgentId, string>;
}

/** Drives a session as any face does: a command in, events out, a reply to what is asked. Rejects when the signal aborts. */
export async function playScenario(scenario: Scenario, stage: Stage): Promise<Played> {
  const { cwd, env, signal } = stage;
  const session = await startSession({
    cwd,
    env,
    flags: { permissionMode: scenario.permissionMode, allowedTools: scenario.allowedTools },
    asker: "reply",
    model: createScriptedModel(scenario.script, { clock: systemClock, cwd, file: "demo" }),
  });
  const leave = () => void session.close("interrupted");
  signal.addEventListener("abort", leave, { once: true });
  try {
    signal.throwIfAborted();
    const branches = new Map<AgentId, string>();
    const following = follow(session, scenario, { ...stage, branches });
    await session.dispatch({ type: "prompt", content: scenario.prompt });
    const outcome = await session.settled();
    await session.close();
    await following;
    signal.throwIfAborted();
    return { sessionId: session.id, outcome, view: session.view(), branches };
  } finally {
    signal.removeEventListener("abort", leave);
    await session.close("interrupted");
  }
}

interface Following extends Stage {
  readonly branches: Map<AgentId, string>;
}

async function follow(session: Session, scenario: Scenario, { draw, signal, branches }: Following): Promise<void> {
  for await (const envelope of session.events()) {
    if (signal.aborted) return;
    draw(envelope);
    const { event } = envelope;
    if (event.type === "agent.spawned" && event.worktree) branches.set(envelope.agent, event.worktree.branch);
    if (event.type !== "permission.asked") continue;
    const reply = { behavior: "allow", scope: "once" } as const;
    void answerLater(scenario.answerAfterMs, signal, () =>
      session.dispatch({ type: "permission.reply", requestId: event.requestId, answer: reply }),
    );
  }
}

/** An abort needs no answer: closing the session settles every question. */
async function answerLater(ms: number, signal: AbortSignal, answer: () => Promise<unknown>): Promise<void> {
  try {
    await systemClock.sleep(ms, signal);
  } catch (error) {
    if (signal.aborted) return;
    throw error;
  }
  await answer();
}
