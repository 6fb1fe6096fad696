import { untilAborted } from "../../platform/index.ts";
import type { AgentId, StoredEnvelope } from "../../protocol/index.ts";
import { createRunFilter } from "../../store/index.ts";
import { isTranscriptEvent } from "../../view/index.ts";
import type { ObservedUpdate, ObservedSession } from "./observed-session.ts";
import { remoteRefusal, type BusSessionOptions } from "./bus-team.ts";

/**
 * Opens the session of a teammate on another machine, from the events on the bus. A worker sends all its events. A
 * teammate that runs beside its lead sends none.
 */
export async function openBusMember(
  options: BusSessionOptions & { readonly team: string; readonly member: string },
): Promise<ObservedSession> {
  const { teams, id, member } = options;
  const team = await teams.open(options.team);
  const closed = new AbortController();

  async function* events(after: Readonly<Record<string, number>>, signal: AbortSignal): AsyncGenerator<ObservedUpdate> {
    const merge = createMergedLog(id);
    const isNew = ({ agent, seq }: StoredEnvelope) => seq > (after[agent] ?? 0);
    const kept = (await team.events?.read(member)) ?? [];
    const before = kept.flatMap(merge).filter(isNew);
    for (let at = 0; at < before.length; at += batchSize)
      yield { kind: "envelopes", envelopes: before.slice(at, at + batchSize) };
    yield { kind: "state", state: "open" };
    yield { kind: "caught-up" };
    if (!team.events) return untilAborted(signal);
    let passed = 0;
    for await (const news of team.events.follow(member, signal)) {
      if (!("envelope" in news)) continue;
      passed += 1;
      if (passed <= kept.length) continue;
      const envelopes = merge(news.envelope).filter(isNew);
      if (envelopes.length > 0) yield { kind: "envelopes", envelopes };
    }
  }

  return {
    id,
    events: ({ after = {}, signal }) => events(after, AbortSignal.any([signal, options.signal, closed.signal])),
    dispatch: () => Promise.resolve(remoteRefusal),
    async transcript({ agent }) {
      const all = ((await team.events?.read(member)) ?? []).flatMap(createMergedLog(id));
      const wantedAgent = agent ?? all[0]?.agent;
      return all.filter((envelope) => envelope.agent === wantedAgent && isTranscriptEvent(envelope.event.type));
    },
    async close() {
      closed.abort();
      await team.close();
    },
  };
}

/** The maximum number of events in one batch. */
const batchSize = 500;

/** Merges the runs of a teammate into one session and numbers each agent's events consecutively, as its lead does. */
function createMergedLog(session: ObservedSession["id"]): (envelope: StoredEnvelope) => StoredEnvelope[] {
  const counts = createRunFilter();
  const last = new Map<AgentId, number>();
  return (envelope) => {
    if (!counts(envelope)) return [];
    const seq = (last.get(envelope.agent) ?? 0) + 1;
    last.set(envelope.agent, seq);
    return [{ ...envelope, session, seq }];
  };
}
