import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { freePort } from "../bus/nats-server.ts";

/** Two machines with a network between them, and a bus on the first. */
export interface TwoHosts {
  /** Kernel namespaces, or only two processes where namespaces are not allowed. */
  readonly kind: "namespaces" | "processes";
  readonly bus: string;
  /** The command prefix that starts a program on each machine. */
  readonly first: readonly string[];
  readonly second: readonly string[];
  /** Cuts and restores the network. With processes there is none to cut. */
  cable(state: "down" | "up"): void;
}

export async function twoHosts(): Promise<TwoHosts> {
  const made = namespaces();
  if ("why" in made)
    console.warn(`no network namespaces here (${made.why}): two processes on loopback instead, and no cable to pull`);
  const hosts =
    "why" in made
      ? { kind: "processes" as const, host: "127.0.0.1", first: [], second: [], cable: () => undefined }
      : made;
  const port = await freePort();
  const store = mkdtempSync(join(tmpdir(), "troupe-hosts-"));
  const [command = "", ...words] = [
    ...hosts.first,
    "nats-server",
    "-js",
    "-a",
    hosts.host,
    "-p",
    String(port),
    "-sd",
    store,
  ];
  const server = spawn(command, words, { stdio: ["ignore", "ignore", "pipe"] });
  onTestFinished(async () => {
    server.kill("SIGKILL");
    if (server.exitCode === null && server.signalCode === null) await once(server, "exit");
    rmSync(store, { recursive: true, force: true });
    if ("remove" in hosts) hosts.remove();
  });
  await ready(server);
  return { ...hosts, bus: `nats://${hosts.host}:${port}` };
}

function ready(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = "";
    server.stderr?.setEncoding("utf8").on("data", (text: string) => {
      said += text;
      if (said.includes("Server is ready")) resolve();
    });
    server.once("exit", () => reject(new Error(`nats-server ended: ${said}`)));
  });
}

function namespaces() {
  const [left, right] = [`troupe-a${process.pid}`, `troupe-b${process.pid}`];
  const ip = (line: string) => {
    const { status, stderr, error } = spawnSync("ip", line.split(" "), { encoding: "utf8" });
    return status === 0 ? undefined : (error?.message ?? stderr.trim());
  };
  const remove = () => void [left, right].map((name) => ip(`netns del ${name}`));
  for (const line of [
    `netns add ${left}`,
    `netns add ${right}`,
    `link add name cable netns ${left} type veth peer name cable netns ${right}`,
    `-n ${left} addr add 10.231.77.1/24 dev cable`,
    `-n ${right} addr add 10.231.77.2/24 dev cable`,
    ...[left, right].flatMap((name) => [`-n ${name} link set lo up`, `-n ${name} link set cable up`]),
  ]) {
    const why = ip(line);
    if (why === undefined) continue;
    remove();
    return { why: `ip ${line}: ${why}` };
  }
  return {
    kind: "namespaces" as const,
    host: "10.231.77.1",
    first: ["ip", "netns", "exec", left],
    second: ["ip", "netns", "exec", right],
    cable(state: "down" | "up") {
      const why = ip(`-n ${right} link set cable ${state}`);
      if (why !== undefined) throw new Error(why);
    },
    remove,
  };
}
