import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { closePane } from "../../../src/team/backend/tmux/close-pane.ts";
import { closeServer } from "../../../src/team/backend/tmux/close-server.ts";
import { listPanes } from "../../../src/team/backend/tmux/list-panes.ts";
import { openPane, type PanePlacement } from "../../../src/team/backend/tmux/open-pane.ts";
import type { Tmux } from "../../../src/team/backend/tmux/tmux.ts";
import { buildProgram } from "../../support/processes/build-program.ts";
import { isRunning, testimony, type TmuxPlace, tmuxPlace, witness } from "../../support/terminal/tmux-place.ts";

async function opened(place: TmuxPlace, tmux: Tmux, request: { name: string; placement: PanePlacement }) {
  const { name, placement } = request;
  const argv = witness(place, name);
  const result = await openPane(tmux, { placement, title: name, argv, cwd: place.folder, env: place.env });
  await testimony(place, name);
  return result;
}

test("promise 12: only panes that Troupe created are closed, and none of them is left behind", async () => {
  const place = await tmuxPlace();
  const { tmux, pane: mine, socket } = await place.inside();
  const own = { kind: "own", name: "troupe-test", label: "a session" } as const;
  const ours = [];
  for (const [at, placement] of [{ kind: "user" } as const, own, { kind: "user" } as const, own].entries())
    ours.push(await opened(place, tmux, { name: `agent-${at}`, placement }));

  // The user's own panes: one in the same window as ours, one that replaced one of ours, one on our server.
  const users = (name: string, ...args: readonly string[]) => place.user(["-L", name, ...args]);
  const sleeper = ["-d", "-P", "-F", "#{pane_id}", "--", "/bin/sleep", "1000"];
  const beside = users("users", "split-window", "-t", mine, ...sleeper);
  const window = users("users", "new-window", ...sleeper);
  const onOurs = users("troupe-test", "new-window", ...sleeper);
  users("users", "swap-pane", "-d", "-s", window, "-t", ours[0]?.pane.paneId ?? "");

  for (const { pane } of ours) await closePane(tmux, pane);
  for (const { pane } of ours) await closePane(tmux, pane);
  for (const { pane } of ours) await closeServer(tmux, pane.socket);

  expect(ours.filter(({ program }) => isRunning(program))).toEqual([]);
  expect(users("users", "list-panes", "-a", "-F", "#{pane_id}").split("\n").sort()).toEqual(
    [mine, beside, window].sort(),
  );
  expect(users("troupe-test", "list-panes", "-a", "-F", "#{pane_id}")).toBe(onOurs);
  users("troupe-test", "kill-pane", "-t", onOurs);
  expect(await closeServer(tmux, tmux.socketPath("troupe-test"))).toBe("ended");
  expect(place.sockets()).toEqual(["users"]);
  expect(socket).toBe(tmux.socketPath("users"));
});

test("promise 12: process killed while opening panes leaves only marked panes, which can be closed", async () => {
  const place = await tmuxPlace();
  const program = await buildProgram("open-panes.ts");
  onTestFinished(program.remove);
  const socket = place.tmux.socketPath("troupe-test");
  for (let round = 0; round < 12; round++) {
    // Large enough that the commands do not go through the pipe in one piece.
    const args = [program.path, place.folder, round % 2 === 0 ? "10" : "120000"];
    const child = spawn(process.execPath, args, { env: place.env, stdio: ["ignore", "pipe", "inherit"] });
    const exited = once(child, "exit");
    let begun = 0;
    for await (const _ of createInterface({ input: child.stdout })) if (++begun === 2) break;
    await new Promise((resolve) => setTimeout(resolve, round * 3));
    child.kill("SIGKILL");
    await exited;
    await clientsGone(place);
  }
  const panes = await listPanes(place.tmux, socket);
  const found = panes === "none" ? [] : panes;
  expect(found.filter(({ mark }) => mark === "")).toEqual([]);
  expect(found.length).toBeGreaterThan(0);
  const commands = place.user(["-L", "troupe-test", "list-panes", "-a", "-F", "#{pane_start_command}"]).split("\n");
  expect(new Set(commands)).toEqual(new Set([`/bin/sh -c "sleep 1000" "the last word"`]));
  expect(await closeServer(place.tmux, socket)).toBe("ended");
  expect(found.filter(isRunning)).toEqual([]);
});

/** After this, everything sent to a server has arrived or never will. */
async function clientsGone(place: TmuxPlace): Promise<void> {
  const read = (path: string) => {
    try {
      return readFileSync(path, "latin1");
    } catch {
      return "";
    }
  };
  const isClient = (pid: string) =>
    read(`/proc/${pid}/environ`).includes(`TMUX_TMPDIR=${place.folder}\0`) &&
    read(`/proc/${pid}/comm`) !== "tmux: server\n" &&
    /^tmux|\/tmux\0/.test(read(`/proc/${pid}/cmdline`));
  while (readdirSync("/proc").some((name) => /^\d+$/.test(name) && isClient(name)))
    await new Promise((resolve) => setTimeout(resolve, 10));
}
