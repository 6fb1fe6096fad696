import { execFileSync } from "node:child_process";
import { onTestFinished } from "vitest";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";
import { Envelope } from "../../src/protocol/index.ts";
import { type NatsServer, startNats } from "../store/nats/nats-server.ts";
import { bypass, type Finished, type Running, type Workplace, workplace } from "./troupe.ts";

/** A lead with a team on a bus, and workers, each a process with a home of its own. */
export interface FarTeam {
  readonly server: NatsServer;
  readonly lead: Workplace;
  worker(name: string, more?: readonly string[], env?: Record<string, string>): Promise<Running>;
  /** The lead, spoken to line by line. */
  start(more?: readonly string[]): Running;
  /** `troupe …` where the lead is. */
  run(...args: string[]): Promise<Finished>;
  git(...args: string[]): string;
}

export const team = "crew";

export async function farTeam(script: string): Promise<FarTeam> {
  const server = await startNats();
  onTestFinished(() => server.close());
  const lead = workplace();
  const model = `scripted/${lead.write("../script.mjs", script)}`;
  const git = (...args: string[]) => execFileSync("git", args, { cwd: lead.cwd, encoding: "utf8" });
  git("init", "-q", "-b", "main");
  git("config", "user.name", "Ada");
  git("config", "user.email", "ada@example.com");
  lead.write("a.txt", "a\n");
  git("add", "-A");
  git("commit", "-qm", "first");
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

/** What has come whole so far. */
export const eventsOf = (stdout: string): Envelope[] =>
  stdout
    .slice(0, stdout.lastIndexOf("\n"))
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => Envelope.parse(JSON.parse(line)));

/** Everything that any stream holds, as bytes. */
export async function allMessages(url: string): Promise<Buffer> {
  const { username, password, host } = new URL(url);
  const connection = await connect({ servers: host, user: username, pass: password });
  const manager = await jetstreamManager(connection);
  const all: Uint8Array[] = [];
  for await (const { config, state } of manager.streams.list()) {
    for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
      const message = await manager.streams.getMessage(config.name, { seq });
      if (message) all.push(message.data, Buffer.from(message.subject));
    }
  }
  await connection.close();
  return Buffer.concat(all);
}
