import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { closePane } from "../../../../src/team/backend/tmux/close-pane.ts";
import { closeServer } from "../../../../src/team/backend/tmux/close-server.ts";
import { hidePane, showPane } from "../../../../src/team/backend/tmux/hide-pane.ts";
import { openPane } from "../../../../src/team/backend/tmux/open-pane.ts";
import { paneState } from "../../../../src/team/backend/tmux/pane-state.ts";
import type { Tmux } from "../../../../src/team/backend/tmux/tmux.ts";
import { isRunning, testimony, type TmuxPlace, tmuxPlace, witness } from "../../../support/terminal/tmux-place.ts";

async function opened(place: TmuxPlace, tmux: Tmux, name: string) {
  const look = { title: name, color: "orange" } as const;
  const result = await openPane(tmux, {
    ...look,
    placement: { kind: "user" },
    argv: witness(place, name),
    cwd: place.folder,
    env: place.env,
  });
  await testimony(place, name);
  return result;
}

const users = (place: TmuxPlace, ...args: readonly string[]) => place.user(["-L", "users", ...args]);
const windowOf = (place: TmuxPlace, pane: string) => users(place, "display-message", "-p", "-t", pane, "#{window_id}");
const focus = (place: TmuxPlace) => users(place, "display-message", "-p", "-t", "mine:", "#{window_id} #{pane_id}");

test("opens next to the user's pane: readable, without taking focus or changing the user's settings", async () => {
  const place = await tmuxPlace();
  const { tmux, pane, socket } = await place.inside();
  const before = focus(place);
  const options =
    users(place, "show-options", "-g") + users(place, "show-options", "-w") + users(place, "show-options", "-s");
  const all = [];
  for (const name of ["a", "b", "c"]) all.push(await opened(place, tmux, name));
  expect(focus(place)).toBe(before);
  expect(all.map((one) => windowOf(place, one.pane.paneId))).toEqual(Array(3).fill(windowOf(place, pane)));
  const sizes = users(
    place,
    "list-panes",
    "-t",
    pane,
    "-F",
    "#{pane_id} #{pane_width}x#{pane_height} #{pane_title}",
  ).split("\n");
  expect(sizes).toEqual([
    expect.stringMatching(`^${pane} 80x48 `),
    ...all.map((one, at) => expect.stringMatching(`^${one.pane.paneId} 79x1[56] ${["a", "b", "c"][at]}$`) as string),
  ]);
  const after =
    users(place, "show-options", "-g") + users(place, "show-options", "-w") + users(place, "show-options", "-s");
  expect(after).toBe(options);
  expect(all[0]?.pane.socket).toBe(socket);

  expect(await closeServer(tmux, socket)).toBe("kept");
  for (const one of all) expect(await closePane(tmux, one.pane)).toBe("there");
  expect(all.filter(({ program }) => isRunning(program))).toEqual([]);
  expect(users(place, "list-panes", "-a", "-F", "#{pane_id}")).toBe(pane);
});

test("a slow user shell set as default command does not affect the pane", async () => {
  const place = await tmuxPlace();
  const { tmux } = await place.inside();
  const slow = join(place.folder, "slow-shell");
  writeFileSync(slow, `#!/bin/sh\ntouch ${place.file("shell-was-here")}\nsleep 5\nexec /bin/sh "$@"\n`);
  chmodSync(slow, 0o755);
  users(place, "set-option", "-g", "default-shell", slow);
  users(place, "set-option", "-g", "default-command", slow);
  users(place, "set-option", "-g", "remain-on-exit", "on");
  const names = ["1", "2", "3", "4", "5", "6", "7", "8"];
  const all = await Promise.all(names.map((name) => opened(place, tmux, name)));
  expect(existsSync(place.file("shell-was-here"))).toBe(false);
  for (const one of all) expect(await closePane(tmux, one.pane)).toBe("there");
  expect(users(place, "list-panes", "-a", "-F", "#{pane_id}")).not.toContain("\n");
});

test("panes that the user made in the same window keep their place and survive", async () => {
  const place = await tmuxPlace();
  const { tmux, pane } = await place.inside();
  const theirs = users(
    place,
    "split-window",
    "-v",
    "-l",
    "10",
    "-d",
    "-P",
    "-F",
    "#{pane_id}",
    "-t",
    pane,
    "--",
    "/bin/sleep",
    "1000",
  );
  const shape = () =>
    users(place, "list-panes", "-t", pane, "-F", "#{pane_id} #{pane_pid} #{pane_width}x#{pane_height}").split("\n");
  const before = shape();
  const [a, b] = [await opened(place, tmux, "a"), await opened(place, tmux, "b")];
  expect(shape().find((line) => line.startsWith(`${theirs} `))).toBe(
    before.find((line) => line.startsWith(`${theirs} `)),
  );
  await Promise.all([a, b].map((one) => closePane(tmux, one.pane)));
  expect(shape()).toEqual(before);
});

test("a 20 by 5 terminal has no room: opens a window with an ordinary number instead", async () => {
  const place = await tmuxPlace();
  const { tmux, pane } = await place.inside({ width: 20, height: 5 });
  const before = focus(place);
  const all = [];
  for (const name of ["a", "b", "c", "d", "e"]) all.push(await opened(place, tmux, name));
  expect(focus(place)).toBe(before);
  expect(new Set([pane, ...all.map((one) => one.pane.paneId)].map((id) => windowOf(place, id))).size).toBe(6);
  const indices = users(place, "list-windows", "-t", "mine", "-F", "#{window_index}").split("\n").map(Number);
  expect(Math.max(...indices)).toBeLessThan(10);
  for (const one of all) expect(await closePane(tmux, one.pane)).toBe("there");
  expect(users(place, "list-panes", "-a", "-F", "#{pane_id}")).toBe(pane);
});

test("a window that the user zoomed stays zoomed", async () => {
  const place = await tmuxPlace();
  const { tmux, pane } = await place.inside();
  const { pane: first } = await opened(place, tmux, "a");
  users(place, "resize-pane", "-Z", "-t", pane);
  const { pane: second } = await opened(place, tmux, "b");
  expect(users(place, "display-message", "-p", "-t", pane, "#{window_zoomed_flag}")).toBe("1");
  expect(windowOf(place, second.paneId)).not.toBe(windowOf(place, first.paneId));
});

test("a hidden pane gets a separate window, its program continues, and it can be shown again", async () => {
  const place = await tmuxPlace();
  const { tmux, pane } = await place.inside();
  const [a, b] = [await opened(place, tmux, "a"), await opened(place, tmux, "b")];
  const before = focus(place);
  expect(await hidePane(tmux, a.pane)).toBe("there");
  expect(windowOf(place, a.pane.paneId)).not.toBe(windowOf(place, pane));
  expect(users(place, "display-message", "-p", "-t", a.pane.paneId, "#{window_name}")).toBe("a");
  expect(windowOf(place, b.pane.paneId)).toBe(windowOf(place, pane));
  expect(isRunning(a.program)).toBe(true);
  expect(await hidePane(tmux, a.pane)).toBe("there");
  expect(await showPane(tmux, a.pane, pane)).toBe("there");
  expect(windowOf(place, a.pane.paneId)).toBe(windowOf(place, pane));
  expect(focus(place)).toBe(before);
  expect(await paneState(tmux, a.pane)).toBe("there");
  await closePane(tmux, a.pane);
  expect(await hidePane(tmux, a.pane)).toBe("gone");
  expect(await showPane(tmux, a.pane, pane)).toBe("gone");
});
