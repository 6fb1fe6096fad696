import { createScriptedModel, type Answer, type AnswerFunction } from "../../src/model/scripted/index.ts";
import { systemClock } from "../../src/platform/index.ts";
import type { Envelope, SessionId } from "../../src/protocol/index.ts";
import { type RunOutcome, type Session, startSession } from "../../src/session/index.ts";
import type { SessionView } from "../../src/view/index.ts";
import { coordinatorAnswer } from "./coordinator-turns.ts";
import { testCommand, tryCommand } from "./sample-app-files.ts";
import { workerTurns } from "./worker-turns.ts";

export const prompt =
  "Our till gives wrong totals when there is a discount. Find out why, fix it, and show that it works.";

export interface PlayCoordinatorOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly pace: "fast" | "readable";
  readonly draw: (envelope: Envelope) => void;
  readonly signal: AbortSignal;
}

export interface CoordinatorResult {
  readonly sessionId: SessionId;
  readonly outcome: RunOutcome | undefined;
  readonly view: SessionView;
  readonly envelopes: readonly Envelope[];
}

/**
 * Runs a coordinator's session as any frontend does. No user is available, so calls that need approval fail. Rejects
 * when the signal aborts.
 */
export async function playCoordinator({
  cwd,
  env,
  pace,
  draw,
  signal,
}: PlayCoordinatorOptions): Promise<CoordinatorResult> {
  const session = await startSession({
    cwd,
    env,
    flags: {
      coordinator: true,
      permissionMode: "acceptEdits",
      allowedTools: [`Bash(${testCommand})`, `Bash(${tryCommand})`],
    },
    asker: "nobody",
    model: createScriptedModel(script(pace), { clock: systemClock, cwd, file: "demo" }),
  });
  const leave = () => void session.close("interrupted");
  signal.addEventListener("abort", leave, { once: true });
  const envelopes: Envelope[] = [];
  let ended: () => void = () => undefined;
  const following = (async () => {
    for await (const envelope of session.events()) {
      if (signal.aborted) return;
      envelopes.push(envelope);
      draw(envelope);
      if (envelope.event.type === "background.ended") ended();
    }
  })();
  try {
    signal.throwIfAborted();
    await session.dispatch({ type: "prompt", content: prompt });
    const outcome = await settleAll(session, signal, () => new Promise((resolve) => (ended = resolve)));
    await session.close();
    await following;
    signal.throwIfAborted();
    return { sessionId: session.id, outcome, view: session.view(), envelopes };
  } finally {
    signal.removeEventListener("abort", leave);
    await session.close("interrupted");
    await following;
  }
}

/** Waits until no agent runs. A worker that ends wakes the coordinator, which may start others. */
async function settleAll(session: Session, signal: AbortSignal, nextEnd: () => Promise<void>) {
  const left = new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
  for (;;) {
    const changed = nextEnd();
    const outcome = await session.settled();
    if (signal.aborted || session.backgroundRunning().length === 0 || outcome?.reason !== "completed") return outcome;
    await Promise.race([changed, left]);
  }
}

function script(pace: PlayCoordinatorOptions["pace"]): AnswerFunction {
  return async (ask) => {
    const name = ask.agent.split("/")[1];
    const answer = name === undefined ? coordinatorAnswer(ask) : await workerTurns[name]?.[ask.turn - 1]?.(ask);
    return answer && { ...answer, ...(pace === "readable" && pauses(answer, name)) };
  };
}

/** Workers answer after different delays. Long answers are streamed in larger chunks, so that no answer takes long. */
const pauses = (answer: Answer, name: string | undefined): Partial<Answer> => ({
  delayMs: name === undefined ? 500 : 500 + 150 * (name.length % 3),
  chunk: Math.max(4, Math.ceil(JSON.stringify(answer).length / 60)),
  chunkDelayMs: 11,
});
