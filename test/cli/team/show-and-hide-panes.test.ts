import { expect, onTestFinished, test, vi } from "vitest";
import { hidePane, showPane } from "../../../src/cli/team/show-and-hide-panes.ts";
import { createIdFactory, systemClock } from "../../../src/platform/index.ts";
import { openPane } from "../../../src/team/backend/tmux/open-pane.ts";
import { createTeam } from "../../../src/team/index.ts";
import { tempTree } from "../../support/files/temp-tree.ts";
import { tmuxPlace } from "../../support/terminal/tmux-place.ts";

test("pane of a member is hidden and shown from the shell, and the record follows", async () => {
  const { tmux, env, folder, user } = await tmuxPlace();
  const tree = tempTree({ "home/.troupe/settings.json": {} });
  const home = tree.path("home/.troupe");
  const place = { home, clock: systemClock, createId: createIdFactory(systemClock), cwd: tree.root };
  const team = await createTeam("crew", { ...place, members: ["scout", "tester", "bot"] });
  onTestFinished(() => team.close());
  for (const title of ["scout", "tester"]) {
    const placement = { kind: "own", name: "troupe-test", label: "crew" } as const;
    const { pane } = await openPane(tmux, { placement, title, argv: ["/bin/sleep", "1000"], cwd: folder, env });
    await team.record.change(title, { pane, tmuxPaneId: pane.paneId, backendType: "tmux" });
  }
  for (const [name, value] of Object.entries({ ...env, HOME: tree.path("home"), TROUPE_HOME: home, TMUX: "" }))
    vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const written = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  onTestFinished(() => written.mockRestore());
  const windows = () =>
    user(["-L", "troupe-test", "list-windows", "-t", "troupe", "-F", "#{window_panes}"]).split("\n");
  const paneId = team.record.current().members.find(({ name }) => name === "scout")?.pane?.paneId;

  expect(windows()).toEqual(["2"]);
  expect(await hidePane("crew", "scout", {})).toBe(0);
  expect(windows()).toEqual(["1", "1"]);
  expect((await team.record.read()).hiddenPaneIds).toEqual([paneId]);
  expect(await showPane("crew", "scout", { json: true })).toBe(0);
  expect(windows()).toEqual(["2"]);
  expect((await team.record.read()).hiddenPaneIds).toEqual([]);
  expect(JSON.parse(String(written.mock.calls.at(-1)?.[0]))).toEqual({
    name: "scout",
    paneId,
    hidden: false,
    attach: "tmux -L troupe-test attach -t troupe",
  });
  await expect(hidePane("crew", "bot", {})).rejects.toThrow("bot has no pane: its backend is remote.");
});
