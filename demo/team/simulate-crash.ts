import { systemClock } from "../../src/platform/index.ts";
import { type BackendType, type Event, TroupeError } from "../../src/protocol/index.ts";
import type { Session } from "../../src/session/index.ts";
import type { StoredTeam } from "../../src/store/index.ts";
import { watchCommand } from "./sample-files.ts";
import { rejectOnAbort } from "../shared/reject-on-abort.ts";

/** One member dies in the middle of its work, and comes back. */
export interface SimulatedCrash {
  readonly name: string;
  /** To be told what the member stores, and what happens in its lead's session. */
  onMemberEvent(event: Event): void;
  onLeadEvent(event: Event): void;
  /** Resolves when the member is back. Rejects if it could not be, and when the signal aborts. */
  readonly respawned: Promise<void>;
}

export interface SimulateCrashOptions {
  readonly session: Pick<Session, "dispatch">;
  readonly presence: StoredTeam["presence"];
  readonly backend: BackendType;
  readonly name: string;
  /** Before each of the two steps, for who watches. */
  readonly pauseMs: number;
  readonly report: (text: string) => void;
  readonly signal: AbortSignal;
}

export function simulateCrash(options: SimulateCrashOptions): SimulatedCrash {
  const { session, name, report, signal } = options;
  const crashMoment = createDeferred();
  const lossNoticed = createDeferred();
  const respawned = run();
  respawned.catch(() => undefined); // whoever plays the team waits for it

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
    report(`brings it back, as 'troupe team respawn demo ${name}' would`);
    await assertAccepted(session.dispatch({ type: "member.respawn", name }));
  }

  async function killProcess(): Promise<void> {
    const found = await options.presence.look(name);
    if (!found) throw new TroupeError("team", `nobody knows which process ${name} is`);
    report(`kills ${name}'s process (kill -9 ${found.pid}) in the middle of a call`);
    process.kill(found.pid, "SIGKILL");
    await rejectOnAbort(lossNoticed.promise, signal);
  }

  async function stopRunner(): Promise<void> {
    report(`ends ${name} in the middle of a call, without asking it`);
    await assertAccepted(session.dispatch({ type: "member.stop", name, now: true, reason: "an accident" }));
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
