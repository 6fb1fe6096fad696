import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const src = resolve(import.meta.dirname, "../src");

/** The layers that a simulation runs as they are: their time and their randomness are passed in. */
const layers = [
  "agent",
  "team",
  "remote/commits",
  "remote/lead",
  "remote/worker",
  "session",
  "headless",
  "store/memory",
];

const direct =
  /\b(Date\.now|new Date\(\)|performance\.now|hrtime|setTimeout|setInterval|setImmediate|AbortSignal\.timeout|Math\.random|random(?:UUID|Bytes|Int|FillSync)|systemClock)(?!\w)/g;

const machine = "It starts a program or a library of this machine: the real clock is passed from here.";
const tmux = "It waits for tmux, a real program. A simulation has other panes.";
const sockets = "It waits for sockets, files or servers of this machine. A simulation has no observers.";
const workers = "It runs on a bus with real workers.";
const secret = "Others must not guess the name. No decision depends on it.";

/** The remaining direct uses, each with its reason. */
const allowed: Readonly<Record<string, { readonly uses: readonly string[]; readonly why: string }>> = {
  "session/session-host.ts": { uses: ["systemClock"], why: machine },
  "session/start/create-models.ts": {
    uses: ["Math.random"],
    why: "It spreads retries of real providers. A simulation passes its model.",
  },
  "session/checkpoints/stored-session.ts": { uses: ["systemClock"], why: machine },
  "session/inspect/open-session-store.ts": { uses: ["systemClock"], why: machine },
  "session/library/create-session.ts": { uses: ["systemClock"], why: machine },
  "session/library/library-team.ts": { uses: ["systemClock"], why: machine },
  "session/teams/join-claude-team.ts": { uses: ["systemClock"], why: machine },
  "remote/worker/run-job.ts": { uses: ["systemClock"], why: workers },
  "remote/worker/run-worker.ts": { uses: ["systemClock"], why: workers },
  "remote/worker/job-reporter.ts": { uses: ["setTimeout"], why: workers },
  "remote/worker/teammate-reporter.ts": { uses: ["setTimeout"], why: workers },
  "remote/lead/watch-worker.ts": { uses: ["setInterval"], why: workers },
  "session/mcp/prompt-commands.ts": { uses: ["systemClock"], why: sockets },
  "session/mcp/server-report.ts": { uses: ["systemClock"], why: sockets },
  "session/observe/bus-team.ts": { uses: ["setInterval"], why: sockets },
  "session/observe/connect-session-socket.ts": { uses: ["systemClock"], why: sockets },
  "session/observe/lazy-session-socket.ts": { uses: ["setTimeout"], why: sockets },
  "session/observe/live-feed.ts": { uses: ["setImmediate"], why: sockets },
  "session/observe/remove-stale-sockets.ts": { uses: ["Date.now"], why: sockets },
  "session/observe/serve-socket-client.ts": { uses: ["setImmediate", "setTimeout"], why: sockets },
  "session/observe/session-directory.ts": { uses: ["systemClock"], why: sockets },
  "session/observe/socket-path.ts": { uses: ["randomBytes"], why: secret },
  "session/observe/watch-sessions.ts": { uses: ["setTimeout"], why: sockets },
  "session/telemetry/span-exporter.ts": { uses: ["setTimeout", "systemClock"], why: sockets },
  "team/backend/tmux/close-pane.ts": { uses: ["performance.now", "setTimeout"], why: tmux },
  "team/backend/tmux/open-pane.ts": { uses: ["randomBytes", "randomInt"], why: tmux },
  "team/backend/tmux/own-socket.ts": { uses: ["performance.now", "setTimeout"], why: tmux },
  "team/mailbox/mail-queue.ts": {
    uses: ["setImmediate"],
    why: "It lets other work run between two batches. A virtual clock waits for it.",
  },
  "team/subagents/check-report.ts": { uses: ["randomUUID"], why: secret },
};

test("the runtime of agents and teams uses only the passed clock and ids", () => {
  const found = layers.flatMap((layer) =>
    readdirSync(join(src, layer), { recursive: true, encoding: "utf8" })
      .filter((name) => /\.tsx?$/.test(name))
      .flatMap((name) => {
        const code = readFileSync(join(src, layer, name), "utf8").replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
        const uses = [...new Set([...code.matchAll(direct)].map(([use]) => use))].sort();
        return uses.length === 0 ? [] : [[join(layer, name), uses] as const];
      }),
  );
  const listed = Object.entries(allowed).map(([file, { uses }]) => [file, [...uses].sort()] as const);
  const byFile = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]) => (a < b ? -1 : 1);
  // A new use belongs on the passed clock. If that is not possible, the list above says why.
  expect(found.sort(byFile)).toEqual(listed.sort(byFile));
});
