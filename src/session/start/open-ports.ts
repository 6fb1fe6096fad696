import type { Cleanup } from "../../platform/index.ts";
import { recoverWorktrees } from "../../team/index.ts";
import type { Config } from "../config/load-config.ts";
import { createLazySessionSocket } from "../observe/lazy-session-socket.ts";
import { createRemoteWork, type RemoteWork } from "../remote/remote-work.ts";
import type { SessionLog, SessionPorts } from "../session-context.ts";
import type { SessionHost } from "../session-host.ts";
import type { StartOptions } from "../start-session.ts";
import { runWorktreeRemoveHooks } from "../teams/worktree-remove-hooks.ts";

interface PortSources {
  readonly config: Config;
  readonly options: StartOptions;
  readonly host: SessionHost;
  readonly cleanup: Cleanup;
}

/** Connects to workers on other machines. A teammate has no such connection. */
export function openRemoteWork({ config, options, host, cleanup }: PortSources): RemoteWork | undefined {
  const { bus } = config;
  if (!bus || options.member) return undefined;
  const remote = createRemoteWork({ ...config, bus, clock: host.clock, outlives: !options.store });
  cleanup.add(remote.close);
  return remote;
}

export async function openPorts({
  config,
  options,
  log,
  remote,
  host: { clock, createId },
  cleanup,
}: PortSources & { readonly log: SessionLog; readonly remote: RemoteWork | undefined }): Promise<SessionPorts> {
  const telemetry =
    config.telemetry &&
    (await import("../telemetry/start-telemetry.ts")).startTelemetry(config.telemetry, {
      sessionId: log.opened.sessionId,
      leadSessionId: options.member?.leadSession,
      cwd: config.cwd,
    });
  cleanup.add(async () => telemetry?.close());
  const isObservable = options.isObservable !== false && !log.isInMemory;
  return {
    asker: options.asker,
    keep: options.keep ?? "all",
    remote,
    telemetry,
    openSocket: isObservable ? createLazySessionSocket({ home: config.home, clock, createId }) : undefined,
    recoverWorktrees: () =>
      recoverWorktrees({ ...config, env: config.childEnv, clock, createId }, (removed) =>
        runWorktreeRemoveHooks(removed, { config, clock }),
      ),
    clock,
    createId,
  };
}
