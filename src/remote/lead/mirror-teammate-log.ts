import type { Clock, CreateId } from "../../platform/index.ts";
import { tokensIn } from "../../agent/index.ts";
import type { AgentId, Envelope, Member, StoredEnvelope } from "../../protocol/index.ts";
import { createRunFilter, openSessionCopy, type StoredTeam } from "../../store/index.ts";
import type { MemberCost, MemberMirror } from "./remote-backend.ts";

export interface TeammateMirrorPorts {
  readonly home: string;
  readonly clock: Clock;
  readonly createId: CreateId;
  /** Shows the event next to the lead's own events. */
  publish(envelope: Envelope): void;
  /** Counts the teammate's spending in this session. */
  spent(cost: MemberCost): void;
  onFailure(error: unknown): void;
}

/** Mirrors a remote teammate as a session of this machine: stores its events as they arrive, and shows them. */
export async function mirrorTeammateLog(
  { events }: Pick<StoredTeam, "events">,
  { name, sessionId, cwd }: Member,
  ports: TeammateMirrorPorts,
): Promise<MemberMirror> {
  if (!events || sessionId === undefined) throw new Error(`${name} is not on a bus`);
  const copy = await openSessionCopy({ ...ports, cwd, sessionId });
  const over = new AbortController();
  const counts = createRunFilter();
  /**
   * For each agent: the number of events stored in previous runs of the lead, and how many of those have arrived again.
   */
  const earlier = new Map<AgentId, { readonly written: number; passed: number }>();
  let seen = 0;
  const waiters = new Set<() => void>();

  const isNew = async (agent: AgentId): Promise<boolean> => {
    const known = earlier.get(agent) ?? { written: await copy.count(agent), passed: 0 };
    earlier.set(agent, known);
    known.passed += 1;
    return known.passed > known.written;
  };

  const store = async (envelope: StoredEnvelope) => {
    const { agent, session, event } = envelope;
    const isFirst = await isNew(agent);
    if (isFirst) ports.publish(await copy.append(envelope));
    if (event.type !== "cost.recorded") return;
    ports.spent({ session, amount: { usd: event.costUsd, tokens: tokensIn(event.usage) }, isNew: isFirst });
  };

  const follow = async () => {
    for await (const news of events.follow(name, over.signal)) {
      if (!("envelope" in news)) continue;
      const { envelope } = news;
      if (counts(envelope)) await store(envelope);
      seen += 1;
      for (const check of waiters) check();
    }
  };
  let isBroken = false;
  const following = follow().catch((error: unknown) => {
    isBroken = true;
    for (const check of waiters) check();
    if (!over.signal.aborted) ports.onFailure(error);
  });

  return {
    show: (envelope) => ports.publish({ ...envelope, session: sessionId }),
    async caughtUp() {
      const stored = (await events.read(name)).length;
      await new Promise<void>((resolve) => {
        const check = () => {
          if (seen < stored && !isBroken && !over.signal.aborted) return;
          waiters.delete(check);
          resolve();
        };
        waiters.add(check);
        check();
      });
    },
    async close() {
      over.abort();
      for (const check of waiters) check();
      await following;
      await copy.close();
    },
  };
}
