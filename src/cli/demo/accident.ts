import { systemClock } from "../../platform/index.ts";
import { type BackendType, type Event, TroupeError } from "../../protocol/index.ts";
import type { Session } from "../../session/index.ts";
import type { StoredTeam } from "../../store/index.ts";
import { watchCommand } from "./sample-files.ts";
import { rejectOnAbort } from "./unless-aborted.ts";

/** One member dies in the middle of its work, and comes back. */
export interface Accident {
  readonly name: string;
  /** To be told what the member stores, and what happens in its lead's session. */
  memberHeard(event: Event): void;
  leadHeard(event: Event): void;
  /** Resolves when the member is back. Rejects if it could not be, and when the signal aborts. */
  readonly over: Promise<void>;
}

export interface AccidentOptions {
  readonly session: Pick<Session, "dispatch">;
  readonly presence: StoredTeam["presence"];
  readonly backend: BackendType;
  readonly name: string;
  /** Before each of the two steps, for who watches. */
  readonly pauseMs: number;
  readonly tell: (text: string) => void;
  readonly signal: AbortSignal;
}

export function createAccident(options: AccidentOptions): Accident {
  const { session, name, tell, signal } = options;
  const moment = signalled();
  const missed = signalled();
  const over = run();
  over.catch(() => undefined); // whoever plays the team waits for it

  return {
    name,
    memberHeard(event) {
      if (event.type === "tool.called" && event.title.includes(watchCommand)) moment.resolve();
    },
    leadHeard(event) {
      if (event.type === "notice.raised" && event.code === "member") missed.resolve();
    },
    over,
  };

  async function run(): Promise<void> {
    await rejectOnAbort(moment.promise, signal);
    await systemClock.sleep(options.pauseMs, signal);
    if (options.backend === "tmux") await killProcess();
    else await stopRunner();
    await systemClock.sleep(options.pauseMs, signal);
    tell(`brings it back, as 'troupe team respawn demo ${name}' would`);
    await carriedOut(session.dispatch({ type: "member.respawn", name }));
  }

  async function killProcess(): Promise<void> {
    const found = await options.presence.look(name);
    if (!found) throw new TroupeError("team", `nobody knows which process ${name} is`);
    tell(`kills ${name}'s process (kill -9 ${found.pid}) in the middle of a call`);
    process.kill(found.pid, "SIGKILL");
    await rejectOnAbort(missed.promise, signal);
  }

  async function stopRunner(): Promise<void> {
    tell(`ends ${name} in the middle of a call, without asking it`);
    await carriedOut(session.dispatch({ type: "member.stop", name, now: true, reason: "an accident" }));
  }
}

async function carriedOut(ack: ReturnType<Session["dispatch"]>): Promise<void> {
  const answer = await ack;
  if (!answer.ok) throw new TroupeError("team", answer.message);
}

function signalled(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}
