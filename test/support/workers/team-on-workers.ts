import { onTestFinished } from "vitest";
import { streamEnvelopes } from "../cli/stream-envelopes.ts";
import type { Envelope } from "../../../src/protocol/index.ts";
import { type NatsServer, startNats } from "../bus/nats-server.ts";
import { makeRepository } from "../git/make-repository.ts";
import { bypass, type Finished, type Running, type Workplace, workplace } from "../cli/workplace.ts";

/** A lead with a team on a bus, and workers, each a process with its own home. */
export interface FarTeam {
  readonly server: NatsServer;
  readonly lead: Workplace;
  worker(name: string, more?: readonly string[], env?: Record<string, string>): Promise<Running>;
  /** The lead, controlled by lines of commands. */
  start(more?: readonly string[]): Running;
  /** Runs `troupe …` on the lead's machine. */
  run(...args: string[]): Promise<Finished>;
  git(...args: string[]): string;
}

export const team = "crew";

export async function farTeam(script: string): Promise<FarTeam> {
  const server = await startNats();
  onTestFinished(() => server.close());
  const lead = workplace();
  const model = `scripted/${lead.write("../script.mjs", script)}`;
  const git = makeRepository(lead.cwd);
  const env = { TROUPE_BUS: server.url };
  return {
    server,
    lead,
    git,
    async worker(name, more = [], own = {}) {
      const args = ["worker", "--name", name, "--permission-mode", "bypassPermissions", ...more];
      const running = workplace().start(args, { env: { ...env, ...own } });
      await running.saw(/takes up to/);
      return running;
    },
    start: (more = []) =>
      lead.start(
        [
          "-p",
          "--team",
          team,
          "--model",
          model,
          ...bypass,
          "--input-format",
          "stream-json",
          "--output-format",
          "stream-json",
          "--settings",
          JSON.stringify({ bus: { leaseMs: 3000, workerWaitMs: 20_000 }, teams: { shutdownMs: 20_000 } }),
          ...more,
        ],
        { env },
      ),
    run: (...args) => lead.run(args, { env }),
  };
}

export const say = (running: Running, content: string) => running.write(JSON.stringify({ type: "prompt", content }));

/** The complete envelopes so far. */
export const eventsOf = (stdout: string): Envelope[] =>
  stdout.includes("\n") ? [...streamEnvelopes(stdout.slice(0, stdout.lastIndexOf("\n")))] : [];
