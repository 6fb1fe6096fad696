import {
  type AgentView,
  criticalPath,
  type Message,
  type PathMessage,
  type PathStep,
  type Period,
  type TimelineMark,
} from "../../../../src/view/index.ts";
import type { Aliases } from "../team/graph-edges.ts";
import { type LaneRow, rowSpans } from "./lane-rows.ts";

/** The drawing over the lanes. */
export interface Overlay {
  readonly marks: readonly PlacedMark[];
  readonly messages: readonly PathMessage[];
  readonly path: readonly PathStep[];
}

export interface PlacedMark extends TimelineMark {
  readonly row: number;
}

/** The marks of all lanes, in order of time: those of the logs, and the deaths that only the team knows. */
export function marksIn(rows: readonly LaneRow[]): readonly PlacedMark[] {
  const places = new Map(rows.map(({ agent }, row) => [agent, row]));
  const logged = [...new Set(rows.map(({ timeline }) => timeline))].flatMap(({ marks }) =>
    marks.list.flatMap((mark): PlacedMark[] => {
      const row = places.get(mark.agent);
      return row === undefined ? [] : [{ ...mark, row }];
    }),
  );
  return [...logged, ...rows.flatMap(deathOf)].sort((a, b) => a.at - b.at);
}

function deathOf({ lane, entry, until }: LaneRow, row: number): PlacedMark[] {
  const member = entry?.member;
  if (until === undefined || member?.ended === undefined || member.ended === "shutdown") return [];
  const event = lane.base?.event;
  if (event === undefined) return [];
  const text = member.detail ?? member.ended;
  return [{ kind: "death", at: until, agent: lane.agent, session: lane.session, event, text, row }];
}

/** The messages between lanes that were received. */
export function messagesIn(
  rows: readonly LaneRow[],
  recent: readonly Message[],
  aliases: Aliases,
): readonly PathMessage[] {
  const places = new Map(rows.flatMap(({ entry }, row) => (entry ? [[entry.key, row] as const] : [])));
  return recent.flatMap(({ from, to, sentAt, receivedAt }) => {
    const [start, end] = [places.get(aliases.get(from) ?? ""), places.get(aliases.get(to) ?? "")];
    const [sent, received] = [sentAt ?? receivedAt, receivedAt ?? sentAt];
    if (start === undefined || end === undefined || start === end || sent === undefined || received === undefined)
      return [];
    return [{ from: start, to: end, sentAt: sent, receivedAt: received }];
  });
}

/** The critical path of the run up to now. */
export function pathIn(rows: readonly LaneRow[], messages: readonly PathMessage[], all: Period): readonly PathStep[] {
  const parentOf = (agent: AgentView | undefined, row: number) => {
    const parent = rows.findIndex((other) => agent?.parent !== undefined && other.agent === agent.parent);
    return row === 0 ? undefined : Math.max(0, parent);
  };
  const lanes = rows.map((row, index) => ({
    spans: [...rowSpans(row, all, all.to)],
    parent: parentOf(row.entry?.agent, index),
  }));
  return criticalPath(lanes, messages);
}
