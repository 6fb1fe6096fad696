import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { realPathSync } from "../files/real-path.ts";
import { inheritedDescriptors } from "../process/inherited-descriptors.ts";
import type { ProcessRequest } from "../process/start-process.ts";
import { bwrapArguments, systemPaths } from "./bwrap-arguments.ts";
import { type BwrapProbe, probeBwrap } from "./bwrap-probe.ts";
import type { Egress } from "./egress.ts";
import { parseAllowedHost } from "./judge-host.ts";
import { createPlaceholders } from "./placeholders.ts";
import type { EnteredSandbox, Sandbox, SandboxOptions, Walls } from "./sandbox.ts";
import { sandboxEnvironment } from "./sandbox-environment.ts";
import { wallMounts } from "./wall-mounts.ts";
import { wallsProblem } from "./walls-problem.ts";

export function createBwrapSandbox(options: SandboxOptions): Sandbox {
  const placeholders = createPlaceholders();
  const hosts = options.hosts.map(parseAllowedHost);
  let folder: Promise<string> | undefined;
  let egress: Promise<Egress> | undefined;
  let probe: Promise<BwrapProbe> | undefined;

  /** `tmp` in it is the /tmp of this session's commands. */
  const makeFolder = async () => {
    const path = realPathSync(await mkdtemp(join(tmpdir(), "troupe-sandbox-")));
    await mkdir(join(path, "tmp"));
    await mkdir(join(path, "egress"));
    return path;
  };
  const privateFolder = () => (folder ??= makeFolder());
  const closer = descriptorCloser();
  const findProgram = () => (probe ??= probeBwrap(options.memory));

  /** The way to the listed hosts. Undefined if there are none. */
  const openEgress = async ({ network }: Walls) => {
    const { askHost } = options;
    if (network !== "hosts" || (hosts.length === 0 && askHost === undefined)) return undefined;
    const open = async () =>
      (await import("./egress.ts")).createEgress(hosts, join(await privateFolder(), "egress"), askHost);
    return (egress ??= open());
  };

  const enter = async (request: ProcessRequest, walls: Walls): Promise<EnteredSandbox> => {
    const found = await findProgram();
    const problem = "problem" in found ? found.problem : wallsProblem(walls);
    if ("problem" in found || problem !== undefined) throw new Error(problem);
    const through = await openEgress(walls);
    const { mounts, held } = wallMounts(walls, await privateFolder(), placeholders);
    const args = bwrapArguments({
      mounts: through === undefined ? mounts : [...mounts, through.mount],
      cwd: request.cwd,
      ...systemPaths(walls.network),
      disableUserNamespaces: found.program.disableUserNamespaces,
      sharesNetwork: walls.network === "all",
    });
    return {
      request: {
        command: found.program.path,
        args: [...args, ...closer, ...(through?.launcher ?? []), request.command, ...request.args],
        cwd: "/",
        env: { ...sandboxEnvironment(request.env), ...through?.env },
      },
      release: () => Promise.resolve(placeholders.release(held)),
    };
  };

  return {
    problem: async () => {
      const found = await findProgram();
      return "problem" in found ? found.problem : undefined;
    },
    enter,
    async close() {
      await (await egress)?.close();
      placeholders.close();
      if (folder) await rm(await folder, { recursive: true, force: true });
    },
  };
}

/** A command prefix that closes the descriptors that this process was started with: they lead outside the walls. */
function descriptorCloser(): readonly string[] {
  const open = inheritedDescriptors();
  if (open.length === 0) return [];
  const close = open.map((descriptor) => `${descriptor}>&-`).join(" ");
  return [shells.find((path) => existsSync(path)) ?? "bash", "-c", `exec ${close}; exec "$@"`, "bash"];
}

const shells = ["/bin/bash", "/usr/bin/bash", "/run/current-system/sw/bin/bash"];
