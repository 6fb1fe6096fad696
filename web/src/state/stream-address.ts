import type { SessionId } from "../../../src/protocol/index.ts";
import { cursorOf, type SessionView } from "../../../src/view/index.ts";

/** Servers limit the length of the request line. */
const longest = 8_000;

/**
 * The address for the rest of a session's events. It contains the known positions, so that nothing is sent twice. With
 * very many agents only the longest logs are included; events of the others are sent again and ignored.
 */
export function streamAddress(session: SessionId | undefined, views: ReadonlyMap<SessionId, SessionView>): string {
  if (session === undefined) return "/api/events?summaries=true";
  const marks = [...views].flatMap(([id, view]) => [...cursorOf(view)].map(([agent, seq]) => ({ id, agent, seq })));
  marks.sort((a, b) => b.seq - a.seq);
  const after: Record<string, Record<string, number>> = {};
  let length = 0;
  for (const { id, agent, seq } of marks) {
    length += encodeURIComponent(JSON.stringify({ [agent]: seq })).length + (after[id] ? 0 : id.length + 20);
    if (length > longest) break;
    (after[id] ??= {})[agent] = seq;
  }
  const query = new URLSearchParams({ session });
  if (marks.length > 0) query.set("after", JSON.stringify(after));
  return `/api/events?${query}`;
}
