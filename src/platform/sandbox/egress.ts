import { join } from "node:path";
import { runProcess } from "../process/run-process.ts";
import { nodeBridge, perlBridge } from "./bridge-source.ts";
import { type AskHost, createEgressProxy } from "./egress-proxy.ts";
import type { AllowedHost } from "./judge-host.ts";
import type { SandboxMount } from "./sandbox-mounts.ts";

/**
 * The network of a sandbox with a separate network namespace: a bridge inside, the proxy outside, a unix socket
 * between.
 */
export interface Egress {
  /** Shows the socket of the proxy. Only commands that may reach hosts have it. */
  readonly mount: SandboxMount;
  /** Command prefix that starts the bridge. */
  readonly launcher: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

const port = 3128;
const socketName = "proxy";
const inside = "/run/troupe-egress";

/** The socket is in `folder`. */
export async function createEgress(hosts: readonly AllowedHost[], folder: string, ask?: AskHost): Promise<Egress> {
  const proxy = createEgressProxy(hosts, undefined, ask);
  await proxy.listen(join(folder, socketName));
  return {
    mount: { kind: "replaced", path: inside, source: folder },
    launcher: [...(await bridge()), "--", `${inside}/${socketName}`, String(port)],
    env: proxyEnvironment(port),
    close: () => proxy.close(),
  };
}

const perl = "/usr/bin/perl";

/** The command that starts the bridge: perl where it works, because it starts faster. */
async function bridge(): Promise<readonly string[]> {
  const tried = await runProcess({
    command: perl,
    args: ["-MSocket", "-e", "1"],
    cwd: "/",
    env: {},
    timeoutMs: 10_000,
  });
  return tried.exitCode === 0 ? [perl, "-e", perlBridge] : [process.execPath, "-e", nodeBridge];
}

export function proxyEnvironment(at: number): Record<string, string> {
  const url = `http://127.0.0.1:${at}`;
  const here = "localhost,127.0.0.1,::1";
  return {
    HTTP_PROXY: url,
    HTTPS_PROXY: url,
    http_proxy: url,
    https_proxy: url,
    NO_PROXY: here,
    no_proxy: here,
    NODE_USE_ENV_PROXY: "1",
  };
}
