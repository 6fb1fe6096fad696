import { expect, test } from "vitest";
import { systemClock } from "../../../../src/platform/index.ts";
import type { TmuxPane } from "../../../../src/protocol/index.ts";
import { closePane } from "../../../../src/team/backend/tmux/close-pane.ts";
import { closeServer } from "../../../../src/team/backend/tmux/close-server.ts";
import { type OpenedPane, openPane } from "../../../../src/team/backend/tmux/open-pane.ts";
import { paneState } from "../../../../src/team/backend/tmux/pane-state.ts";
import { type LostPane, watchPanes } from "../../../../src/team/backend/tmux/watch-panes.ts";
import { knownPid } from "../../../support/processes/live-processes.ts";
import { isRunning, testimony, type TmuxPlace, tmuxPlace, witness } from "../../../support/terminal/tmux-place.ts";

const own = { kind: "own", name: "troupe-test", label: "a session" } as const;

async function opened(place: TmuxPlace, name: string, ...words: readonly string[]): Promise<OpenedPane> {
  const argv = witness(place, name, ...words);
  const result = await openPane(place.tmux, { placement: own, title: name, argv, cwd: place.folder, env: place.env });
  await testimony(place, name);
  return result;
}

/** The first `count` lost panes that the watch reports. */
async function losses(place: TmuxPlace, panes: readonly TmuxPane[], count: number): Promise<LostPane[]> {
  const lost: LostPane[] = [];
  const { signal } = new AbortController();
  for await (const loss of watchPanes(place.tmux, { panes: () => panes, signal, clock: systemClock })) {
    lost.push(loss);
    if (lost.length === count) break;
  }
  return lost;
}

test("a killed server is noticed; a later one on its socket with the same ids is not touched", async () => {
  const place = await tmuxPlace();
  const panes = [await opened(place, "a"), await opened(place, "b")].map(({ pane }) => pane);
  const noticed = losses(place, panes, 2);
  place.user(["-L", own.name, "kill-server"]);
  expect(await noticed).toEqual(panes.map((pane) => ({ pane, state: "gone" })));
  expect(await Promise.all(panes.map((pane) => paneState(place.tmux, pane)))).toEqual(["gone", "gone"]);

  // An unrelated server with panes of the same ids.
  place.user(["-L", own.name, "-f", "/dev/null", "new-session", "-d", "--", "/bin/sleep", "1000"]);
  for (let more = 0; more < 2; more++) place.user(["-L", own.name, "new-window", "-d", "--", "/bin/sleep", "1000"]);
  const before = place.user(["-L", own.name, "list-panes", "-a", "-F", "#{pane_id} #{pane_pid}"]);
  for (const pane of panes) {
    expect(before).toContain(`${pane.paneId} `);
    expect(await paneState(place.tmux, pane)).toBe("foreign");
    expect(await closePane(place.tmux, pane)).toBe("foreign");
  }
  expect(await losses(place, panes, 2)).toEqual(panes.map((pane) => ({ pane, state: "foreign" })));
  expect(await closeServer(place.tmux, panes[0]?.socket ?? "")).toBe("kept");
  expect(place.user(["-L", own.name, "list-panes", "-a", "-F", "#{pane_id} #{pane_pid}"])).toBe(before);
});

test("a mark copied to another pane and a removed mark are both detected", async () => {
  const place = await tmuxPlace();
  const { pane } = await opened(place, "a");
  const other = await opened(place, "b");
  place.user(["-L", own.name, "set-option", "-p", "-t", other.pane.paneId, "@troupe_id", pane.mark]);
  expect(await paneState(place.tmux, pane)).toBe("there");
  expect(await closePane(place.tmux, other.pane)).toBe("foreign");
  place.user(["-L", own.name, "set-option", "-pu", "-t", pane.paneId, "@troupe_id"]);
  expect(await closePane(place.tmux, pane)).toBe("foreign");
  expect(
    [pane, other.pane].map(({ paneId }) =>
      place.user(["-L", own.name, "display-message", "-p", "-t", paneId, "#{pane_id}"]),
    ),
  ).toEqual([pane.paneId, other.pane.paneId]);
  const forged = { ...pane, mark: "#(touch bait)" };
  expect(await paneState(place.tmux, forged)).toBe("foreign");
});

test("closed and ended panes are reported once; moved, renamed and zoomed ones stay", async () => {
  const place = await tmuxPlace();
  const [closed, ended, moved] = [await opened(place, "a"), await opened(place, "b"), await opened(place, "c")];
  const panes = [closed, ended, moved].map(({ pane }) => pane);
  const target = moved.pane.paneId;
  place.user(["-L", own.name, "break-pane", "-d", "-s", target]);
  place.user(["-L", own.name, "rename-window", "-t", target, "something else"]);
  place.user(["-L", own.name, "select-pane", "-t", target, "-T", "another title"]);
  place.user(["-L", own.name, "new-session", "-d", "-s", "theirs", "--", "/bin/sleep", "1000"]);
  place.user(["-L", own.name, "join-pane", "-s", target, "-t", "theirs:"]);
  place.user(["-L", own.name, "resize-pane", "-Z", "-t", target]);
  const noticed = losses(place, panes, 2);
  place.user(["-L", own.name, "kill-pane", "-t", closed.pane.paneId]);
  process.kill(knownPid(ended.program?.pid), "SIGKILL");
  const lost = await noticed;
  expect(lost.map(({ pane }) => pane.paneId).sort()).toEqual([closed, ended].map(({ pane }) => pane.paneId).sort());
  expect(await paneState(place.tmux, moved.pane)).toBe("there");
  expect(await closePane(place.tmux, moved.pane)).toBe("there");
  expect(isRunning(moved.program)).toBe(false);
  // The user's window is still there, and so is the server.
  expect(await closeServer(place.tmux, moved.pane.socket)).toBe("kept");
  expect(place.user(["-L", own.name, "list-panes", "-a", "-F", "#{session_name}"])).toBe("theirs");
});

test("a program that resists is ended with its pane; nothing is left after the last pane", async () => {
  const place = await tmuxPlace();
  const [a, b] = [await opened(place, "a", "stubborn"), await opened(place, "b", "stubborn")];
  expect(await closePane(place.tmux, a.pane, { graceMs: 100 })).toBe("there");
  expect([isRunning(a.program), isRunning(b.program)]).toEqual([false, true]);
  expect(await paneState(place.tmux, b.pane)).toBe("there");
  expect(await closePane(place.tmux, b.pane, { graceMs: 100 })).toBe("there");
  expect([isRunning(b.program), isRunning({ pid: b.pane.serverPid })]).toEqual([false, false]);
  expect(place.sockets()).toEqual([]);
  expect(await closePane(place.tmux, b.pane)).toBe("gone");
  expect(await closeServer(place.tmux, b.pane.socket)).toBe("ended");
});

test("a program that ends before the first check is a lost pane, and its server leaves nothing", async () => {
  const place = await tmuxPlace();
  const { pane } = await opened(place, "a", "leave");
  expect(await losses(place, [pane], 1)).toEqual([{ pane, state: "gone" }]);
  expect(await closeServer(place.tmux, pane.socket)).toBe("ended");
  expect(place.sockets()).toEqual([]);
  const again = await opened(place, "b");
  expect(await paneState(place.tmux, again.pane)).toBe("there");
});

test("a killed server leaves a dead socket that blocks nothing", async () => {
  const place = await tmuxPlace();
  const { pane } = await opened(place, "a");
  process.kill(pane.serverPid, "SIGKILL");
  expect(await losses(place, [pane], 1)).toEqual([{ pane, state: "gone" }]);
  const again = await opened(place, "b");
  expect(again.pane.socket).toBe(pane.socket);
  expect(await paneState(place.tmux, pane)).not.toBe("there");
  process.kill(again.pane.serverPid, "SIGKILL");
  expect(await losses(place, [again.pane], 1)).toEqual([{ pane: again.pane, state: "gone" }]);
  expect(await closeServer(place.tmux, pane.socket)).toBe("ended");
  expect(place.sockets()).toEqual([]);
});

test("a watch ends with its signal", async () => {
  const place = await tmuxPlace();
  const { pane } = await opened(place, "a");
  const control = new AbortController();
  const watch = watchPanes(place.tmux, {
    panes() {
      control.abort();
      return [pane];
    },
    signal: control.signal,
    clock: systemClock,
  });
  expect(await watch.next()).toEqual({ done: true, value: undefined });
});
