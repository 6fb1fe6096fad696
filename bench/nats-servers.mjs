import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";

/** Starts real servers on loopback; several form a cluster. They do not sync. */
export async function startServers(folder, count) {
  const ports = [];
  for (let n = 0; n < count * 3; n++) ports.push(await freePort());
  const routes = ports.slice(count, 2 * count);
  const servers = routes.map((route, n) => {
    const own = join(folder, `n${n}`);
    mkdirSync(own);
    const peers = routes.map((each) => `"nats://127.0.0.1:${each}"`).join(", ");
    const cluster = `cluster { name: bench, listen: "127.0.0.1:${route}", routes: [${peers}] }`;
    writeFileSync(
      join(own, "server.conf"),
      `server_name: n${n}
listen: "127.0.0.1:${ports[n]}"
http: "127.0.0.1:${ports[2 * count + n]}"
jetstream { store_dir: "${join(own, "store")}" }
${count > 1 ? cluster : ""}
`,
    );
    const child = spawn("nats-server", ["-c", join(own, "server.conf")], { stdio: "ignore" });
    return { child, url: `nats://127.0.0.1:${ports[n]}`, monitor: `http://127.0.0.1:${ports[2 * count + n]}` };
  });
  const close = async () => {
    for (const { child } of servers) {
      if (child.exitCode !== null || child.pid === undefined) continue;
      child.kill("SIGKILL");
      await once(child, "exit");
    }
  };
  try {
    await Promise.race([
      ...servers.map(({ child }) =>
        once(child, "error").then(([error]) => {
          throw new Error(`this benchmark needs nats-server: ${error.message}`);
        }),
      ),
      Promise.all(servers.map(healthy)),
    ]);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    urls: servers.map(({ url }) => url),
    /** Figures of all servers together. */
    async figures() {
      const all = await Promise.all(servers.map(figuresOf));
      const total = (key) => all.reduce((sum, each) => sum + each[key], 0);
      const keys = ["rss", "cpuMs", "inBytes", "outBytes", "inMessages", "outMessages", "connections"];
      return {
        ...Object.fromEntries(keys.map((key) => [key, total(key)])),
        most: Math.max(...all.map(({ rss }) => rss)),
      };
    },
    close,
  };
}

async function healthy({ monitor, child }) {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`nats-server exited with code ${child.exitCode}`);
    const answer = await fetch(`${monitor}/healthz`).catch(() => undefined);
    if (answer?.ok && (await hasLeader(monitor))) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function hasLeader(monitor) {
  const { meta_cluster: meta } = await (await fetch(`${monitor}/jsz`)).json();
  return meta === undefined || (meta.leader ?? "") !== "";
}

async function figuresOf({ monitor, child }) {
  const { in_bytes, out_bytes, in_msgs, out_msgs, connections } = await (await fetch(`${monitor}/varz`)).json();
  const [, rss] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8")) ?? [];
  const stat = readFileSync(`/proc/${child.pid}/stat`, "utf8");
  const [user, system] = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 13)
    .map(Number);
  return {
    rss: Number(rss) / 1024,
    // Ticks are always 10 ms.
    cpuMs: (user + system) * 10,
    inBytes: in_bytes,
    outBytes: out_bytes,
    inMessages: in_msgs,
    outMessages: out_msgs,
    connections,
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
