import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../../../src/platform/index.ts";
import type { Member } from "../../../../src/protocol/index.ts";
import { createPaneBackend } from "../../../../src/team/backend/tmux/pane-backend.ts";
import { testPaneBackend } from "../../../support/team/pane-backend-contract.ts";
import { isRunning, testimony, type TmuxPlace, tmuxPlace, witness } from "../../../support/terminal/tmux-place.ts";

const own = { kind: "own", name: "troupe-test", label: "a session" } as const;

function backendIn(place: TmuxPlace, ...words: readonly string[]) {
  const backend = createPaneBackend({
    tmux: place.tmux,
    placementFor: () => own,
    argvOf: ({ name }) => witness(place, name, ...words),
    env: place.env,
    clock: systemClock,
    graceMs: 100,
  });
  onTestFinished(() => backend.close());
  return backend;
}

const member = (place: TmuxPlace, name: string): Member => ({
  agentId: `${name}@team`,
  name,
  color: "cyan",
  joinedAt: "2026-01-01T00:00:00.000Z",
  tmuxPaneId: "",
  cwd: place.folder,
  subscriptions: [],
  backendType: "tmux",
});

test("a member runs in its folder until it is killed, and leaves nothing", async () => {
  const place = await tmuxPlace();
  const backend = backendIn(place, "stubborn");
  const cwd = join(place.folder, "work");
  const running = await backend.start({ ...member(place, "a"), cwd });
  const seen = await testimony(place, "a");
  expect(seen.cwd).toBe(cwd);
  await running.kill();
  expect(await running.ended).toBeUndefined();
  expect(isRunning(seen)).toBe(false);
  await running.kill();
  await backend.close();
  expect(place.sockets()).toEqual([]);
});

test("closing a pane by hand ends its member, even one that ignores signals", async () => {
  const place = await tmuxPlace();
  const backend = backendIn(place, "stubborn");
  const running = await backend.start(member(place, "a"));
  const other = await backend.start(member(place, "b"));
  const [seen, others] = [await testimony(place, "a"), await testimony(place, "b")];
  place.user(["-L", own.name, "kill-pane", "-t", running.pane?.paneId ?? ""]);
  await running.ended;
  expect([isRunning(seen), isRunning(others)]).toEqual([false, true]);
  place.user(["-L", own.name, "kill-server"]);
  await other.ended;
  expect(isRunning(others)).toBe(false);
});

testPaneBackend(async () => {
  const place = await tmuxPlace();
  return {
    cwd: place.folder,
    openBackend: () => backendIn(place),
    programOf: async (name) => {
      const seen = await testimony(place, name);
      return () => isRunning(seen);
    },
    closePane: async ({ paneId }) => void place.user(["-L", own.name, "kill-pane", "-t", paneId]),
  };
});
