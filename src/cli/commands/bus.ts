import { TroupeError } from "../../protocol/index.ts";
import { openSessionStore } from "../../session/index.ts";
import { type BusJob, type BusStatus, type BusStream, loadBusStatus } from "../../remote/index.ts";
import { exitCodes } from "../exit-codes.ts";
import { printJson, stdoutScreen } from "../team/command-output.ts";

/** Prints the server, its risks, and every team on it. */
export async function busStatus(flags: { readonly json?: boolean; readonly bus?: string }): Promise<number> {
  const { bus } = await openSessionStore({ cwd: process.cwd(), env: process.env, flags: { bus: flags.bus } });
  if (bus === undefined)
    throw new TroupeError("usage", "no bus is configured: use --bus nats://host:4222, or set it in the settings");
  const status = await (await loadBusStatus())(bus);
  if (flags.json) printJson(status);
  else print(status);
  return exitCodes.done;
}

function print({ server, streams, workers, jobs }: BusStatus): void {
  const screen = stdoutScreen();
  const cluster = server.cluster === undefined ? "" : `, cluster ${server.cluster}`;
  screen.line(
    `${server.where}  nats-server ${server.version}${cluster}  ${server.roundTripMs} ms  sync: ${server.sync}`,
  );
  for (const warning of server.warnings) screen.paragraph(warning, { style: screen.paint.yellow });
  if (streams.length === 0) screen.line("no teams");
  for (const stream of streams) printStream(stream);
  if (workers === undefined) screen.line("workers: this user may not list them");
  else if (workers.length === 0) screen.line("no workers");
  for (const worker of workers ?? []) printWorker(worker);
  if (jobs === undefined) screen.line("jobs: this user may not list them");
  for (const job of jobs ?? []) printJob(job);
}

function printWorker({ name, labels, running, maxAgents, version }: NonNullable<BusStatus["workers"]>[number]): void {
  const has = labels.length === 0 ? "" : `  labels ${labels.join(", ")}`;
  const what = version === undefined ? "" : `  troupe ${version}`;
  stdoutScreen().line(`worker ${name}  ${running} of ${maxAgents} agents${has}${what}`);
}

function printJob({ id, agent, labels, status, worker, taken, since }: BusJob): void {
  const by = status === "held" ? ` by ${worker}` : "";
  const labelText = labels.length === 0 ? "" : `  labels ${labels.join(", ")}`;
  const attempts = taken > 1 ? `  claimed ${taken} times` : "";
  const when = `${since.slice(0, 16).replace("T", " ")}Z`;
  stdoutScreen().line(`job of ${agent}  ${status}${by} since ${when}${attempts}${labelText}  ${id}`);
}

function printStream({ name, team, messages, bytes, replicas, behind, consumers }: BusStream): void {
  const screen = stdoutScreen();
  const what = team === undefined ? name : `team ${team}`;
  const lagText = behind.length === 0 ? "" : `  behind: ${behind.join(", ")}`;
  screen.line(
    `${what}  ${messages} messages  ${size(bytes)}  replicas ${replicas}  ${consumers.length} readers${lagText}`,
  );
  for (const { subject, lag } of consumers) if (lag > 0) screen.line(`  ${subject}  ${lag} unread`);
}

const size = (bytes: number): string =>
  bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`;
