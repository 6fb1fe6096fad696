import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { expect, test } from "vitest";
import { twoHosts } from "../../support/workers/two-hosts.ts";
import { bypass, workplace } from "../../support/cli/workplace.ts";

const script = (wait: string) => `
const bash = (command) => ({ text: "", calls: [{ tool: "Bash", input: { command, timeout: 60000 } }] });
export default (ask) => {
  if (ask.agent === "lead")
    return ask.results.length === 0
      ? { text: "", calls: [{ tool: "Agent", input: { description: "write it", prompt: "write it", subagent_type: "general-purpose", name: "writer", isolation: "remote" } }] }
      : { text: "lead heard: " + ask.result.text };
  if (ask.turn === 1) return bash("while test -e ${wait}; do sleep 0.1; done; cat /proc/net/fib_trie | grep -o '10.231.77.2$' | head -n 1 > where");
  return ask.turn === 2 ? bash("git add where && git commit -qm where") : { text: "written" };
};`;

test("network fails between lead and worker: the agent continues, and its commits arrive", async () => {
  const hosts = await twoHosts();
  const [lead, far] = [workplace(), workplace()];
  const wait = lead.write("../wait", "");
  const model = `scripted/${lead.write("../script.mjs", script(wait))}`;
  const git = (...args: string[]) => execFileSync("git", args, { cwd: lead.cwd, encoding: "utf8" });
  git("init", "-q", "-b", "main");
  lead.write("a.txt", "a\n");
  git("add", "-A");
  git("-c", "user.name=Ada", "-c", "user.email=ada@example.com", "commit", "-qm", "first");

  const worker = far.start(["worker", "--bus", hosts.bus, "--name", "far", ...bypass], { via: hosts.second });
  await worker.saw(/takes up to/);
  const settings = JSON.stringify({ bus: { leaseMs: 1000, workerWaitMs: 25_000 } });
  const args = ["-p", "go", "--bus", hosts.bus, "--model", model, ...bypass, "--settings", settings];
  const running = lead.start([...args, "--output-format", "stream-json"], { via: hosts.first, input: "" });
  await running.saw(/"type":"tool.called"[^\n]*while test -e/);
  hosts.cable("down");
  if (hosts.kind === "namespaces") await running.saw(/The worker far is silent/);
  rmSync(wait);
  hosts.cable("up");
  const { code, stdout } = await running.done;
  expect(code).toBe(0);
  expect(stdout).toContain("lead heard: written");
  expect(stdout).not.toContain("was lost");
  const branch = git("for-each-ref", "--format=%(refname:short)", "refs/heads/troupe").trim();
  expect(git("log", "--format=%an: %s", `main..${branch}`)).toBe("Troupe: where\n");
  expect(git("show", `${branch}:where`)).toBe(hosts.kind === "namespaces" ? "10.231.77.2\n" : "");
  worker.child.kill("SIGTERM");
  await worker.done;
});
