import { recoverWorktrees } from "../../team/index.ts";
import { createLazySessionSocket } from "../observe/lazy-session-socket.ts";
import { createRemoteWork, type RemoteWork } from "../../remote/index.ts";
import type { Role } from "../roles/role.ts";
import type { SessionLog, SessionPorts } from "../session-context.ts";
import type { StartContext } from "./start-context.ts";
import { runWorktreeRemoveHooks } from "../teams/worktree-remove-hooks.ts";

/** Connects to workers on other machines. */
export function openRemoteWork({ config, options, host, cleanup }: StartContext): RemoteWork | undefined {
  const { bus } = config;
  if (!bus) return undefined;
  const remote = createRemoteWork({ ...config, bus, clock: host.clock, outlives: !options.store });
  cleanup.add(remote.close);
  return remote;
}

/** A teammate asks the user of its lead. */
export const isAttended = ({ asker, shared }: StartContext["options"]) => asker !== "nobody" && !shared?.isUnattended;

export async function openPorts({
  config,
  options,
  log,
  role,
  remote,
  host: { clock, createId, worktrees },
  cleanup,
}: StartContext & {
  readonly log: SessionLog;
  readonly role: Role;
  readonly remote: RemoteWork | undefined;
}): Promise<SessionPorts> {
  const telemetry =
    config.telemetry &&
    (await import("../telemetry/start-telemetry.ts")).startTelemetry(config.telemetry, {
      sessionId: log.opened.sessionId,
      leadSessionId: role.leadSession,
      cwd: config.cwd,
    });
  cleanup.add(async () => telemetry?.close());
  const isObservable = options.isObservable !== false && !log.isInMemory;
  return {
    asker: options.asker,
    attended: isAttended(options),
    keep: options.keep ?? "all",
    remote,
    telemetry,
    openSocket: isObservable ? createLazySessionSocket({ home: config.home, clock, createId }) : undefined,
    recoverWorktrees: () =>
      recoverWorktrees({ ...config, env: config.childEnv, clock, createId }, (removed) =>
        runWorktreeRemoveHooks(removed, { config, clock }),
      ),
    worktrees,
    clock,
    createId,
  };
}
