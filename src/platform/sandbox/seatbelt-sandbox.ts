import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { realPathSync } from "../files/real-path.ts";
import { runProcess } from "../process/run-process.ts";
import { proxyEnvironment } from "./egress.ts";
import { createEgressProxy, type EgressProxy } from "./egress-proxy.ts";
import { parseAllowedHost } from "./judge-host.ts";
import type { Sandbox, SandboxOptions, Walls } from "./sandbox.ts";
import { sandboxEnvironment } from "./sandbox-environment.ts";
import { seatbeltProfile } from "./seatbelt-profile.ts";
import { wallsProblem } from "./walls-problem.ts";

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

  const isShut = hosts.length === 0 && options.askHost === undefined;
  /** A file cannot show other content here: a replaced file cannot be read. */
  const profile = async (walls: Walls) =>
    seatbeltProfile({
      writable: [...walls.writable.filter((path) => realPathSync(path) === path), await privateFolder()],
      protectedPaths: [...walls.protectedPaths, ...(walls.kept?.keys() ?? [])].flatMap((path) => [
        path,
        realPathSync(path),
      ]),
      pinned: walls.pinned,
      locks: walls.locks?.map((path) => realPathSync(path)),
      hidden: [...walls.hidden, ...(walls.replaced?.keys() ?? [])].map((path) => realPathSync(path)),
      readable: walls.readable.map((path) => realPathSync(path)),
      proxyPort: isShut || walls.network !== "hosts" ? undefined : (await (egress ??= openEgress())).port,
      anyHost: walls.network === "all",
    });

  const tryOnce = async (): Promise<string | undefined> => {
    if (!existsSync(program)) return `${program} does not exist`;
    const args = ["-p", await profile(nothing), "/usr/bin/true"];
    const result = await runProcess({ command: program, args, cwd: "/", env: {}, timeoutMs: 10_000 });
    return result.exitCode === 0 ? undefined : `sandbox-exec does not work here (exit code ${result.exitCode})`;
  };
  const problem = () => (tried ??= tryOnce());

  return {
    problem,
    async enter(request, walls) {
      const why = (await problem()) ?? wallsProblem(walls);
      if (why !== undefined) throw new Error(why);
      const temporary = await privateFolder();
      const network =
        egress === undefined || walls.network !== "hosts" ? {} : proxyEnvironment((await egress).port ?? 0);
      return {
        request: {
          command: program,
          args: ["-p", await profile(walls), request.command, ...request.args],
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

const nothing: Walls = { writable: [], protectedPaths: [], hidden: [], readable: [], network: "none" };
