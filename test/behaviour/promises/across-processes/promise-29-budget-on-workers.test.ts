import { expect, test } from "vitest";
import { tokensIn } from "../../../../src/agent/index.ts";
import { eventsOf, farTeam, say } from "../../../support/workers/team-on-workers.ts";

const most = 60_000;

/** Two teammates on a worker. The agents named by `goesOn` work until the budget is spent. */
async function spend(goesOn: "a and b" | "lead") {
  const place = await farTeam(`
const mate = (name) => ({ tool: "Agent", input: { description: name, prompt: "work", name, isolation: "remote" } });
const more = (turn) => ({ text: "more", calls: [{ tool: "Bash", input: { command: "echo " + turn } }] });
export default ({ agent, turn, said }) => {
  if (agent !== "lead") return ${goesOn === "lead"} ? { text: "I rest" } : more(turn);
  if (said.includes("please begin")) return turn === 1 ? { calls: [mate("a"), mate("b")] } : { text: "waiting" };
  return said.includes("your turn") ? more(turn) : { text: "heard" };
};`);
  const worker = await place.worker("north");
  const running = place.start(["--max-tokens", String(most)]);
  say(running, "please begin");
  const reported = goesOn === "lead" ? "I rest" : String.raw`\w+ could not continue: the budget of \d+ tokens`;
  for (const name of ["a", "b"])
    await running.saw(new RegExp(String.raw`"prompt.admitted"[^\n]*teammate_id=[^\n]{2}${name}[^\n]*${reported}`));
  if (goesOn === "lead") {
    say(running, "your turn");
    await running.saw(/"type":"agent.idle","reason":"limit"/);
  }
  running.end();
  const { stdout } = await running.done;
  worker.child.kill("SIGTERM");
  await worker.done;
  const spent = eventsOf(stdout).flatMap(({ event }) => (event.type === "cost.recorded" ? tokensIn(event.usage) : []));
  return { sum: spent.reduce((all, each) => all + each, 0), largest: Math.max(...spent) };
}

test("promise 29: lead and its teammates on workers share one budget", async () => {
  const { sum, largest } = await spend("a and b");
  expect(sum).toBeGreaterThan(most - largest);
  expect(sum).toBeLessThanOrEqual(most + largest);
});

test("promise 29: budget held by idle teammates on workers returns to their lead", async () => {
  const { sum, largest } = await spend("lead");
  expect(sum).toBeGreaterThanOrEqual(most);
  expect(sum).toBeLessThanOrEqual(most + largest);
});
