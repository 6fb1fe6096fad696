import type { AgentId, EventId } from "../../protocol/index.ts";

/** Where in what a job's workers have reported something stands. */
export interface ReceivedPosition {
  readonly generation: number;
  /** Zero: what follows from who has the job. */
  readonly number: number;
  readonly index: number;
}

/** The same for the same, in every life of the session: what is in the log under it is not put there again. */
export function receivedEventId(agent: AgentId, { generation, number, index }: ReceivedPosition): EventId {
  const place = digits(generation, 2) + digits(number, 6) + digits(index, 4);
  return `evt_${agent.replace(/^agt_/, "").slice(-26)}${place}` as EventId;
}

const digits = (value: number, width: number): string => value.toString(36).padStart(width, "0");
