import { createSocket, type Socket as UdpSocket } from "node:dgram";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSandboxBench, type SandboxBench } from "../../support/tools/sandbox-bench.ts";

/** Every probe prints ESCAPED where it succeeds. The disk is also compared before and after. */
let bench: SandboxBench;
let before: string;
const servers: (Server | UdpSocket)[] = [];
const heard: string[] = [];
const env: Record<string, string> = {};

const listenOn = (where: object | string) =>
  new Promise<number>((resolve, reject) => {
    const server = createServer((socket) => {
      heard.push(JSON.stringify(where));
      // The probe reads what it wants and closes.
      socket.on("error", () => socket.destroy()).end("ESCAPED\n");
    });
    servers.push(server);
    server.once("error", reject).listen(where, () => {
      const address = server.address();
      resolve(address !== null && typeof address === "object" ? address.port : 0);
    });
  });

beforeAll(async () => {
  bench = await openSandboxBench();
  const problem = await bench.sandbox.problem();
  if (problem !== undefined) throw new Error(`these tests need a working bwrap: ${problem}`);
  env["TCP4"] = String(await listenOn({ port: 0, host: "127.0.0.1" }));
  env["ANY"] = String(await listenOn({ port: 0, host: "0.0.0.0" }));
  env["TCP6"] = String(await listenOn({ port: 0, host: "::1" }));
  await listenOn(join(bench.outside, "daemon.sock"));
  await listenOn(join(bench.work, "own.sock"));
  env["ABSTRACT"] = `troupe-probe-${process.pid}`;
  await listenOn(`\0${env["ABSTRACT"]}`);
  const udp = createSocket("udp4").on("message", () => heard.push("udp"));
  servers.push(udp);
  await new Promise<void>((resolve) => udp.bind(0, "127.0.0.1", resolve));
  env["UDP"] = String(udp.address().port);
  env["HARNESS"] = String(process.pid);
  process.env["PROBE_HARNESS_SECRET"] = "HIDDEN-KEY";
  before = snapshot(bench.base);
});

afterAll(async () => {
  delete process.env["PROBE_HARNESS_SECRET"];
  for (const server of servers) server.close();
  await bench.close();
});

/** Everything below a folder, except the working folder's own files. */
function snapshot(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => !/^work\/(mine|a\.txt$)/.test(name))
    .sort()
    .map((name) => {
      const stat = lstatSync(join(folder, name));
      const content = stat.isFile() ? readFileSync(join(folder, name), "latin1") : "";
      return `${name} ${stat.mode} ${stat.isSymbolicLink() ? readlinkSync(join(folder, name)) : content}`;
    })
    .join("\n");
}

const connects = (options: string) =>
  `$NODE -e 'const s = require("node:net").connect(${options}); s.on("data", (d) => { console.log(String(d)); process.exit() }); s.on("error", (e) => { console.log(e.code); process.exit() }); setTimeout(() => process.exit(), 3000)'`;
const yes = "&& echo ESCAPED";

const writes: Record<string, string> = {
  "a file outside": `echo x > ../outside/file.txt ${yes}`,
  "a new file outside": `echo x > ../outside/new.txt ${yes}`,
  "a new file beside the working folder": `echo x > ../new.txt ${yes}`,
  "the root folder": `mkdir /probe ${yes}`,
  "/etc": `echo x >> /etc/hosts ${yes}`,
  "/usr/local": `touch /usr/local/bin/probe ${yes}`,
  "removing a file outside": `rm -f ../outside/file.txt ${yes}`,
  "renaming a file outside": `mv ../outside/file.txt ../outside/other.txt ${yes}`,
  "moving the working folder itself": `mv ../work ../work2 ${yes}`,
  "changing a mode outside": `chmod 777 ../outside/file.txt ${yes}`,
  "changing times outside": `touch ../outside/file.txt ${yes}`,
  "a start file of the shell": `echo x >> ~/.bashrc ${yes}`,
  "a new start file of the shell": `echo x > ~/.profile ${yes}`,
  "ssh's authorized keys": `mkdir -p ~/.ssh && echo x > ~/.ssh/authorized_keys ${yes}`,
  "the state folder": `echo x > ~/.troupe/settings.json ${yes}`,
  "the session's own outputs": `echo x > ~/.troupe/own/output.txt ${yes}`,
  "a hook of git": `echo x > .git/hooks/post-checkout ${yes}`,
  "git's settings": `git config core.fsmonitor /bin/true ${yes}`,
  "git's settings by hand": `echo x >> .git/config ${yes}`,
  "a new file in .git": `echo x > .git/commondir ${yes}`,
  "moving .git away": `mv .git mine-git ${yes}`,
  "removing .git": `rm -rf .git; test -e .git/config || echo ESCAPED`,
  "a file for .git": `rm -rf .git; echo 'gitdir: /tmp/x' > .git ${yes}`,
  ".vscode, which is there": `echo x > .vscode/tasks.json ${yes}`,
  "moving .vscode away": `mv .vscode mine-code ${yes}`,
  ".envrc, which is there": `echo x > .envrc ${yes}`,
  "replacing .envrc": `echo x > mine-rc; mv -f mine-rc .envrc ${yes}`,
  ".troupe, which is not": `mkdir -p .troupe && echo x > .troupe/settings.json ${yes}`,
  ".claude, which is not": `mkdir -p .claude && echo x > .claude/settings.local.json ${yes}`,
  ".cursor, which is not": `mkdir -p .cursor && echo x > .cursor/mcp.json ${yes}`,
  ".idea, which is not": `mkdir -p .idea && echo x > .idea/workspace.xml ${yes}`,
  ".husky, which is not": `mkdir -p .husky && echo x > .husky/pre-commit ${yes}`,
  ".mcp.json, which is not": `echo '{}' > .mcp.json ${yes}`,
  "opening .claude up first": `chmod 777 .claude; echo x > .claude/settings.json`,
  "removing and making .claude": `rmdir .claude; mkdir .claude/x ${yes}`,
  "moving .claude away and making it": `mv .claude mine-claude; mkdir .claude/y ${yes}`,
  "a link in the place of .troupe": `rmdir .troupe; ln -sfn mine-x .troupe && test -L .troupe ${yes}`,
  "other letter case": `mkdir -p mine; echo x > .GIT/hooks/x 2>/dev/null; test -e .git/hooks/x ${yes}`,
  "dots and slashes": `echo x > ./mine/.././.git/./config ${yes}`,
  "through a link": `ln -sfn ../outside mine-link; echo x > mine-link/file.txt ${yes}`,
  "through a link to .git": `ln -sfn .git mine-link; echo x > mine-link/config ${yes}`,
  "a hard link to a file outside": `ln ../outside/file.txt mine-hard && echo x > mine-hard ${yes}`,
  "a hard link to git's settings": `ln .git/config mine-hard && echo x > mine-hard ${yes}`,
  "/proc/self/root": `echo x > /proc/self/root$BASE/outside/file.txt ${yes}`,
  "/proc/1/root": `echo x > /proc/1/root$BASE/outside/file.txt ${yes}`,
  "/proc/1/cwd": `echo x > /proc/1/cwd$BASE/outside/file.txt ${yes}`,
  "/proc/<harness>/cwd": `echo x > /proc/$HARNESS/cwd/probe ${yes}`,
  "/proc/<harness>/root": `echo x > /proc/$HARNESS/root$BASE/outside/file.txt ${yes}`,
  "descriptors that were left open": `for f in /proc/self/fd/*; do case $(readlink $f) in /*outside*|*/.git*) echo ESCAPED;; esac; done`,
  "mounting over a protected folder": `mount -t tmpfs none .git ${yes}`,
  "remounting the disk": `mount -o remount,rw / ${yes}`,
  "taking a protection away": `umount .git ${yes}`,
  "a separate user namespace": `unshare -Urm sh -c 'umount .git' ${yes}`,
  "a device": `mknod mine-disk b 8 0 ${yes}`,
  "the system's settings": `exec 9<>/proc/sys/kernel/core_pattern ${yes}`,
  "the system's settings, once more": `exec 9<>/proc/sys/kernel/modprobe ${yes}`,
  "the disk's device": `ls /dev/sd* /dev/vd* /dev/nvme* ${yes}`,
  "a process outside": `kill -0 $HARNESS ${yes}`,
  "/var/tmp and /run": `touch /var/tmp/probe ${yes}; touch /run/probe ${yes}`,
};

const reads: Record<string, string> = {
  "a private key": `cat ~/.ssh/id_ed25519`,
  "credentials of a cloud": `cat ~/.aws/credentials`,
  "a file with passwords": `cat ~/.netrc`,
  "the user's settings of Troupe": `cat ~/.troupe/settings.json`,
  "the harness's environment": `cat /proc/$HARNESS/environ`,
  "any process's environment": `cat /proc/[0-9]*/environ | tr '\\0' '\\n'`,
  "the harness's memory": `cat /proc/$HARNESS/mem`,
  "its own environment": "env",
};

const network: Record<string, string> = {
  TCP: `exec 9<>/dev/tcp/127.0.0.1/$TCP4 && head -c 7 <&9`,
  "TCP by name": `exec 9<>/dev/tcp/localhost/$TCP4 && head -c 7 <&9`,
  "TCP on any address": `exec 9<>/dev/tcp/0.0.0.0/$ANY && head -c 7 <&9`,
  "TCP over IPv6": connects('{ port: Number(process.env.TCP6), host: "::1" }'),
  "an address in other notation": connects('{ port: Number(process.env.TCP4), host: "2130706433" }'),
  UDP: `echo ESCAPED > /dev/udp/127.0.0.1/$UDP`,
  "DNS over UDP": `$NODE -e 'const d = require("node:dns").promises; d.setServers(["127.0.0.1:" + process.env.UDP]); d.resolve4("probe.invalid").then(() => console.log("ESCAPED"), () => 0); setTimeout(() => process.exit(), 500)'`,
  "DNS of the system": `getent hosts example.com ${yes}`,
  "a unix socket": connects('process.env.BASE + "/outside/daemon.sock"'),
  "a unix socket in the working folder": connects('process.env.BASE + "/work/own.sock"'),
  "a unix socket through /proc": connects('"/proc/self/root" + process.env.BASE + "/outside/daemon.sock"'),
  "an abstract socket": connects('"\\0" + process.env.ABSTRACT'),
  "docker, D-Bus and agents": `ls /run/docker.sock /var/run/docker.sock /run/dbus/system_bus_socket /run/user/* 2>/dev/null ${yes}`,
  "the ways to them": `env | grep -E '^(SSH_AUTH_SOCK|DBUS_|DOCKER_HOST|XDG_RUNTIME_DIR|DISPLAY)' ${yes}`,
  "a network device": `grep -vE '^(Inter-| face| *lo:)' /proc/net/dev ${yes}`,
  "ports that others listen on": `grep -i ":$(printf %04X $TCP4)" /proc/net/tcp ${yes}`,
  "a raw socket": `ping -c 1 -W 1 127.0.0.2 >/dev/null 2>&1 && false; grep -q CapEff:.0000000000000000 /proc/self/status || echo ESCAPED`,
};

describe("escape probes", () => {
  it("there are enough probes", () => {
    const count = [writes, reads, network].flatMap((table) => Object.keys(table)).length;
    expect(count).toBeGreaterThanOrEqual(60);
  });

  it.each(Object.entries(writes))("cannot write: %s", async (_name, script) => {
    expect((await bench.run(script, { env })).output).not.toContain("ESCAPED");
    await bench.run("rm -rf mine*");
    expect(snapshot(bench.base)).toBe(before);
  });

  it.each(Object.entries(reads))("cannot read: %s", async (_name, script) => {
    const secrets = { SERVICE_API_KEY: "HIDDEN-KEY", MY_TOKEN: "HIDDEN-KEY", DB_PASSWORD: "HIDDEN-KEY" };
    expect((await bench.run(script, { env: { ...env, ...secrets } })).output).not.toContain("HIDDEN");
  });

  it.each(Object.entries(network))("cannot reach: %s", async (_name, script) => {
    const doors = { SSH_AUTH_SOCK: "/x", DBUS_SESSION_BUS_ADDRESS: "/x", XDG_RUNTIME_DIR: "/run/user/0" };
    expect((await bench.run(script, { env: { ...env, ...doors } })).output).not.toContain("ESCAPED");
    expect(heard).toEqual([]);
  });

  it("the probes succeed without a sandbox", async () => {
    const open = async (script: string | undefined) => (await bench.run(script ?? "", { env, outside: true })).output;
    expect(await open(writes["a new file beside the working folder"])).toContain("ESCAPED");
    expect(await open(writes[".mcp.json, which is not"])).toContain("ESCAPED");
    expect(await open(reads["the harness's environment"])).not.toBe("");
    for (const name of ["TCP", "TCP over IPv6", "a unix socket", "an abstract socket"]) {
      expect(await open(network[name])).toContain("ESCAPED");
    }
  });
});
