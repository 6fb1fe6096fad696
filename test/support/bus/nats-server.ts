import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A real nats-server on loopback, with its own store. */
export interface NatsServer {
  readonly port: number;
  /** The address of a new account at each call. Accounts are isolated from each other. */
  address(): string;
  /** The address of one account that all callers share. */
  readonly url: string;
  signal(signal: "SIGKILL" | "SIGSTOP" | "SIGCONT"): void;
  /** Resolves when it is dead. */
  kill(): Promise<void>;
  /** Starts on the same port and store. Resolves when it answers. */
  start(): Promise<void>;
  readonly store: string;
  /** Stops the server and removes its store. */
  close(): Promise<void>;
}

export interface NatsServerOptions {
  readonly port?: number;
  /** Additional lines of its configuration. */
  readonly config?: (port: number) => string;
  readonly accounts?: number;
  readonly name?: string;
  /** Permissions for the users of all accounts. */
  readonly permissions?: string;
  /** Replaces the accounts above: the authentication part of the server's configuration. */
  readonly letsIn?: string;
  /** Replaces the whole configuration. */
  readonly whole?: (at: { readonly port: number; readonly folder: string }) => string;
}

export async function startNats(options: NatsServerOptions = {}): Promise<NatsServer> {
  const folder = mkdtempSync(join(tmpdir(), "troupe-nats-"));
  const port = options.port ?? (await freePort());
  const accounts = options.accounts ?? 1;
  const file = join(folder, "server.conf");
  const more = options.config?.(port) ?? "";
  writeFileSync(file, options.whole?.({ port, folder }) ?? configOf({ ...options, port, folder, accounts, more }));
  let child: ChildProcess | undefined;
  let used = 0;

  const start = async () => {
    const started = spawn("nats-server", ["-c", file], { stdio: "ignore" });
    child = started;
    while (!(await answers(port))) {
      if (started.exitCode !== null) throw new Error(`nats-server exited with code ${started.exitCode}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  const kill = async () => {
    const dying = child;
    if (dying === undefined || dying.exitCode !== null || dying.signalCode !== null) return;
    dying.kill("SIGKILL");
    await once(dying, "exit");
  };
  await start();
  return {
    port,
    address: () => {
      if (used >= accounts) throw new Error("no account is left");
      return `nats://u${used++}:secret@127.0.0.1:${port}`;
    },
    url: `nats://u0:secret@127.0.0.1:${port}`,
    signal: (signal) => void child?.kill(signal),
    kill,
    start,
    store: join(folder, "store"),
    close: async () => {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function configOf(options: NatsServerOptions & { port: number; folder: string; accounts: number; more: string }) {
  const { port, folder, accounts, more, name, permissions, letsIn } = options;
  const rights = permissions === undefined ? "" : `, permissions: ${permissions}`;
  const all = Array.from(
    { length: accounts },
    (_, n) => `A${n}: { jetstream: enabled, users: [{ user: u${n}, password: secret${rights} }] }`,
  );
  return `
listen: "127.0.0.1:${port}"
${name === undefined ? "" : `server_name: ${name}`}
jetstream { store_dir: "${join(folder, "store")}", max_mem: 64M, max_file: 1G }
${letsIn ?? `accounts { ${all.join("\n")}\n SYS: { users: [{ user: sys, password: secret }] } }\nsystem_account: SYS`}
${more}
`;
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("data", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
