import { rejectOnAbort, systemClock } from "../../src/platform/index.ts";
import { type BackendType, type Event, TroupeError } from "../../src/protocol/index.ts";
import type { Session } from "../../src/session/index.ts";
import type { StoredTeam } from "../../src/store/index.ts";
import { watchCommand } from "./sample-files.ts";

/** Kills one member in the middle of its work and respawns it. */
export interface SimulatedCrash {
  readonly name: string;
  /** Call with each event of the member's log, and with each event of the lead's session. */
  onMemberEvent(event: Event): void;
  onLeadEvent(event: Event): void;
  /** Resolves when the member is back. Rejects if the respawn fails or the signal aborts. */
  readonly respawned: Promise<void>;
}

export interface SimulateCrashOptions {
  readonly session: Pick<Session, "dispatch">;
  readonly presence: StoredTeam["presence"];
  readonly backend: BackendType;
  readonly name: string;
  /** Delay before each of the two steps, so that viewers can follow. */
  readonly pauseMs: number;
  readonly report: (text: string) => void;
  readonly signal: AbortSignal;
}

export function simulateCrash(options: SimulateCrashOptions): SimulatedCrash {
  const { session, name, report, signal } = options;
  const crashMoment = createDeferred();
  const lossNoticed = createDeferred();
  const respawned = run();
  respawned.catch(() => undefined); // the caller awaits `respawned`

  return {
    name,
    onMemberEvent(event) {
      if (event.type === "tool.called" && event.title.includes(watchCommand)) crashMoment.resolve();
    },
    onLeadEvent(event) {
      if (event.type === "notice.raised" && event.code === "member") lossNoticed.resolve();
    },
    respawned,
  };

  async function run(): Promise<void> {
    await rejectOnAbort(crashMoment.promise, signal);
    await systemClock.sleep(options.pauseMs, signal);
    if (options.backend === "tmux") await killProcess();
    else await stopRunner();
    await systemClock.sleep(options.pauseMs, signal);
    report(`respawns it, as 'troupe team respawn demo ${name}' does`);
    await assertAccepted(session.dispatch({ type: "member.respawn", name }));
  }

  async function killProcess(): Promise<void> {
    const found = await options.presence.look(name);
    if (!found) throw new TroupeError("team", `cannot kill ${name}: its process is unknown`);
    report(`kills the process of ${name} (kill -9 ${found.pid}) in the middle of a call`);
    process.kill(found.pid, "SIGKILL");
    await rejectOnAbort(lossNoticed.promise, signal);
  }

  async function stopRunner(): Promise<void> {
    report(`stops ${name} in the middle of a call, without asking`);
    await assertAccepted(session.dispatch({ type: "member.stop", name, now: true, reason: "simulated crash" }));
  }
}

async function assertAccepted(ack: ReturnType<Session["dispatch"]>): Promise<void> {
  const answer = await ack;
  if (!answer.ok) throw new TroupeError("team", answer.message);
}

function createDeferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}
