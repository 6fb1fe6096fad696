import type { Ack } from "../protocol/index.ts";

/** The servers of tools of one session. */
export interface SessionMcp {
  reconnect(server: string): Ack;
}
