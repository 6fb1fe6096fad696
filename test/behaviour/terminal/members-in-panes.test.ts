import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isRunning } from "../../support/team/scripted-team.ts";
import { teamWorkplace } from "../../support/cli/team-workplace.ts";
import { openTerminal } from "../../support/terminal/open-terminal.ts";
import { bypass } from "../../support/cli/workplace.ts";

/** tmux continues a stopped process in a pane at once, so a frozen member only polls a file. */
const script = `
import { existsSync } from "node:fs";
const mate = (name) => ({ tool: "Agent", input: { description: "d", prompt: "look", name } });
const hang = { text: "x", fault: { kind: "hang" } };
const pause = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
export default (ask) => {
  if (ask.agent === "lead") return ask.said.endsWith("go") && !ask.results.length ? { calls: [mate("scout"), mate("maker")] } : { text: "heard" };
  const command = ask.agent === "maker@alpha" ? "echo quick" : "until test -e free; do sleep 0.1; done; echo free";
  if (ask.results.length === 0) return { text: ask.agent + " begins with the parser", calls: [{ tool: "Bash", input: { command } }] };
  if (ask.agent !== "maker@alpha") return { text: ask.agent + " is done" };
  while (existsSync("frozen")) pause();
  return hang;
};`;

test("members in panes show activity, tokens, last text and silence; one is viewed", async () => {
  const place = teamWorkplace(script);
  mkdirSync(join(place.home, "tmux"), { recursive: true });
  const { see, lose, type, press } = openTerminal(
    place,
    ["--team", "alpha", "--model", "scripted/s.mjs", "--settings", "settings.json", ...bypass],
    { columns: 110, rows: 40, env: { TMUX_TMPDIR: join(place.home, "tmux") } },
  );
  place.write("frozen", "");
  await see("❯");
  type("go");
  press("Enter");
  await see(/scout \$ until test.* tokens/);
  await see("scout@alpha begins with the parser");
  await see("maker@alpha begins with the parser");
  await see("maker not responding");
  rmSync(join(place.cwd, "frozen"));
  await see("maker waiting for the model");

  press("S-Down");
  await see("❯ ├─ scout");
  press("Enter");
  await see("── to scout");
  await see("◆ $ until test");
  place.write("free", "");
  await see("● scout@alpha is done");
  await see(/scout idle/);
  press("Escape");
  await lose("── to scout");
  await see("maker waiting for the model");
  press("C-d");
  await see("Leave?");
  const pids = Object.values(place.pids());
  press("y");
  await expect.poll(() => pids.filter(isRunning)).toEqual([]);
  await expect.poll(place.sockets).toEqual([]);
});
