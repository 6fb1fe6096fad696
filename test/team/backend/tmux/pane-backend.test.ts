import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../../../src/platform/index.ts";
import type { Member } from "../../../../src/protocol/index.ts";
import { createPaneBackend } from "../../../../src/team/backend/tmux/pane-backend.ts";
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

test("a resumed lead finds exactly the members that still run", async () => {
  const place = await tmuxPlace();
  const first = backendIn(place);
  const { pane } = await first.start(member(place, "a"));
  const seen = await testimony(place, "a");
  await first.close();
  expect(isRunning(seen)).toBe(true);

  const second = backendIn(place);
  if (pane === undefined) throw new Error("a member in tmux has a pane");
  expect(await second.attach(member(place, "a"))).toBeUndefined();
  expect(await second.attach({ ...member(place, "a"), pane: { ...pane, mark: "0".repeat(32) } })).toBeUndefined();
  const again = await second.attach({ ...member(place, "a"), pane });
  expect(again?.pane).toEqual(pane);
  await again?.kill();
  expect(isRunning(seen)).toBe(false);
  expect(await second.attach({ ...member(place, "a"), pane })).toBeUndefined();
});
