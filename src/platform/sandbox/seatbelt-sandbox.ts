import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { realPathSync } from "../files/real-path.ts";
import { runProcess } from "../process/run-process.ts";
import { proxyEnvironment } from "./egress.ts";
import { createEgressProxy, type EgressProxy } from "./egress-proxy.ts";
import { parseAllowedHost } from "./judge-host.ts";
import type { Sandbox, SandboxOptions } from "./sandbox.ts";
import { sandboxEnvironment } from "./sandbox-environment.ts";
import { seatbeltProfile } from "./seatbelt-profile.ts";

const program = "/usr/bin/sandbox-exec";

/**
 * The sandbox of macOS. It has no separate process namespace; the system itself hides the environments of other
 * processes.
 */
export function createSeatbeltSandbox(options: SandboxOptions): Sandbox {
  const hosts = options.hosts.map(parseAllowedHost);
  let folder: Promise<string> | undefined;
  let egress: Promise<{ proxy: EgressProxy; port: number | undefined }> | undefined;
  let tried: Promise<string | undefined> | undefined;

  const privateFolder = () =>
    (folder ??= mkdtemp(join(tmpdir(), "troupe-sandbox-")).then((path) => realPathSync(path)));
  const openEgress = async () => {
    const proxy = createEgressProxy(hosts, undefined, options.askHost);
    return { proxy, port: await proxy.listen(0) };
  };

  const profile = async () =>
    seatbeltProfile({
      writable: [...options.writable.map((path) => realPathSync(path)), await privateFolder()],
      protectedPaths: options.protectedPaths().flatMap((path) => [path, realPathSync(path)]),
      hidden: options.hidden.map((path) => realPathSync(path)),
      readable: options.readable().map((path) => realPathSync(path)),
      proxyPort:
        hosts.length === 0 && options.askHost === undefined ? undefined : (await (egress ??= openEgress())).port,
    });

  const tryOnce = async (): Promise<string | undefined> => {
    if (!existsSync(program)) return `${program} does not exist`;
    const args = ["-p", await profile(), "/usr/bin/true"];
    const result = await runProcess({ command: program, args, cwd: "/", env: {}, timeoutMs: 10_000 });
    return result.exitCode === 0 ? undefined : `sandbox-exec does not work here (exit code ${result.exitCode})`;
  };
  const problem = () => (tried ??= tryOnce());

  return {
    problem,
    async enter(request) {
      const why = await problem();
      if (why !== undefined) throw new Error(why);
      const temporary = await privateFolder();
      const network = egress === undefined ? {} : proxyEnvironment((await egress).port ?? 0);
      return {
        request: {
          command: program,
          args: ["-p", await profile(), request.command, ...request.args],
          cwd: request.cwd,
          env: { ...sandboxEnvironment(request.env), TMPDIR: temporary, TMP: temporary, TEMP: temporary, ...network },
        },
        release: () => Promise.resolve(),
      };
    },
    async close() {
      await (await egress)?.proxy.close();
      if (folder) await rm(await folder, { recursive: true, force: true });
    },
  };
}
