import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { streamEnvelopes } from "../cli/stream-envelopes.ts";
import type { Envelope } from "../../../src/protocol/index.ts";
import { type NatsServer, startNats } from "../bus/nats-server.ts";
import { makeRepository } from "../git/make-repository.ts";
import { bypass, type Running, type Workplace, workplace } from "../cli/workplace.ts";

/** The lead starts one remote agent, which commits and waits in the middle if a file says so. */
const script = `
const commit = (name) => ({ tool: "Bash", input: { command: "env; echo " + name + " > " + name + ".txt && git add -A && git commit -qm " + name } });
export default (ask) => {
  if (ask.agent === "lead")
    return ask.results.length === 0
      ? { text: "", calls: [{ tool: "Agent", input: { description: "write it", prompt: "write one and two", subagent_type: "general-purpose", name: "writer", isolation: "remote" } }] }
      : { text: "lead heard: " + ask.result.text };
  const { turn } = ask;
  if (ask.said.includes("The machine that started this job is gone"))
    return turn === 1 ? { text: "", calls: [{ tool: "Bash", input: { command: "cat one.txt" } }] } : turn === 2 ? { text: "", calls: [commit("two")] } : { text: "taken over" };
  if (turn === 1) return { text: "", calls: [commit("one")] };
  const wait = process.env.TROUPE_TEST_WAIT;
  if (turn === 2 && wait) return { text: "", calls: [{ tool: "Bash", input: { command: "while test -e " + wait + "; do sleep 0.1; done", timeout: 90000 } }] };
  if (turn === 2) return { text: "", calls: [{ tool: "Bash", input: { command: "echo two > two.txt" } }] };
  return { text: "both are written" };
};`;

export const key = "sk-secret-key-of-this-worker-0123456789";

export interface Pool {
  readonly server: NatsServer;
  readonly lead: Workplace;
  readonly model: string;
  worker(name: string, more?: readonly string[], env?: Record<string, string>): Promise<Running>;
  run(more?: readonly string[], prompt?: string): Running;
}

export async function pool(source = script): Promise<Pool> {
  const server = await startNats();
  onTestFinished(() => server.close());
  const lead = workplace();
  const model = `scripted/${lead.write("../script.mjs", source)}`;
  makeRepository(lead.cwd);
  return {
    server,
    lead,
    model,
    async worker(name, more = [], env = {}) {
      const place = workplace();
      const args = ["worker", "--bus", server.url, "--name", name, ...bypass, ...more];
      const running = place.start(args, { env: { ANTHROPIC_API_KEY: key, ...env } });
      await running.saw(/takes up to/);
      return running;
    },
    run: (more = [], prompt = "go") =>
      lead.start(
        [
          "-p",
          prompt,
          "--bus",
          server.url,
          "--model",
          model,
          ...bypass,
          "--output-format",
          "stream-json",
          "--settings",
          JSON.stringify({ bus: { leaseMs: 1500, workerWaitMs: 20_000 } }),
          ...more,
        ],
        { input: "" },
      ),
  };
}

export const eventsOf = streamEnvelopes;

export const gitIn = (place: Workplace, ...args: string[]) =>
  execFileSync("git", args, { cwd: place.cwd, encoding: "utf8" });

/** The text of the lead's last answer: the result of the Agent tool. */
export const heard = (envelopes: readonly Envelope[]) =>
  envelopes
    .flatMap(({ event }) => (event.type === "turn.ended" ? event.parts : []))
    .flatMap((part) => (part.type === "text" ? [part.text] : []))
    .findLast((text) => text.startsWith("lead heard")) ?? "";

export const branchOf = (place: Workplace) =>
  gitIn(place, "for-each-ref", "--format=%(refname:short)", "refs/heads/troupe").trim();

/** The agent's command runs as long as this file exists. */
export function holdUp(place: Workplace): string {
  const file = join(place.home, "wait");
  writeFileSync(file, "");
  onTestFinished(() => rmSync(file, { force: true }));
  return file;
}

/** Ends a worker that has nothing left to do. */
export async function settle(worker: Running): Promise<void> {
  worker.child.kill("SIGTERM");
  await worker.done;
}
