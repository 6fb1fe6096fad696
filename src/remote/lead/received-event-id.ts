import type { AgentId, EventId } from "../../protocol/index.ts";

/** The position of an event in the reports of a job's workers. */
export interface ReceivedPosition {
  readonly generation: number;
  /** Zero for events about the worker that has the job. */
  readonly number: number;
  readonly index: number;
}

/** Returns the same id for the same position in every run of the session, so that no event is stored twice. */
export function receivedEventId(agent: AgentId, { generation, number, index }: ReceivedPosition): EventId {
  const place = digits(generation, 2) + digits(number, 6) + digits(index, 4);
  return `evt_${agent.replace(/^agt_/, "").slice(-26)}${place}` as EventId;
}

const digits = (value: number, width: number): string => value.toString(36).padStart(width, "0");
