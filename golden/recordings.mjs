// The list of all recordings.
import { agents } from "./sessions/agents.mjs";
import { around } from "./sessions/around.mjs";
import { solo } from "./sessions/solo.mjs";
import { teams } from "./sessions/teams.mjs";
import { collect } from "./collect.mjs";
import { normalise } from "./normalise.mjs";
import { openStage } from "./stage.mjs";
import { stories } from "./stories.mjs";

const sessions = [...teams, ...agents, ...around, ...solo];

export const recordings = [
  ...stories,
  ...sessions.map((session) => ({ name: session.name, record: (at) => play(session, at) })),
];

/** The time limit of a session. A changed program may never send an expected event. */
const mostMs = 180_000;

async function play(session, { program, signal }) {
  const stage = await openStage(session, { program });
  let timer;
  const tooLong = new Promise((_, reject) => {
    const last = () =>
      stage.envelopes
        .slice(-8)
        .map(({ event }) => `\n  ${JSON.stringify(event).slice(0, 200)}`)
        .join("");
    timer = setTimeout(() => reject(new Error(`not over after ${mostMs} ms; last events:${last()}`)), mostMs);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  try {
    await Promise.race([session.play(stage), tooLong, stage.failed]);
    return normalise(collect(stage, session), { root: stage.root, program });
  } finally {
    clearTimeout(timer);
    await stage.close();
  }
}
