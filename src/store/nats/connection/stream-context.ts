import type { Clock } from "../../../platform/index.ts";
import type { Bus } from "./bus.ts";

/** The stream that stores a team on the bus. */
export interface StreamContext {
  readonly bus: Bus;
  readonly stream: string;
  readonly clock: Clock;
  /** How long a call waits for a bus that does not answer. */
  readonly waitMs: number;
}
