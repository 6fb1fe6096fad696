// Starts a nats-server on loopback with its own store.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";

export async function startBus(parent) {
  const folder = mkdtempSync(join(parent, "bus-"));
  const port = await freePort();
  const file = join(folder, "server.conf");
  const store = join(folder, "store");
  writeFileSync(file, `listen: "127.0.0.1:${port}"\njetstream { store_dir: "${store}", max_mem: 64M, max_file: 1G }\n`);
  const child = spawn("nats-server", ["-c", file], { stdio: "ignore" });
  const failed = once(child, "error").then(([error]) => Promise.reject(error));
  const answering = (async () => {
    while (!(await answers(port))) {
      if (child.exitCode !== null) throw new Error(`nats-server ended with ${child.exitCode}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  })();
  await Promise.race([answering, failed]);
  return {
    url: `nats://127.0.0.1:${port}`,
    async close() {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill("SIGKILL");
        await once(child, "exit");
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

function answers(port) {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("data", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
