import type { StoredEnvelope } from "../../protocol/index.ts";

/**
 * Events of a team's remote agents, for the lead and for viewers. The truth is the log on the machine that runs the
 * agent: it continues while the bus is unreachable.
 */
export interface TeamEvents {
  /**
   * Stores envelopes in order. Resolves when the stream has them, or, while the bus is unreachable, when they are on
   * this disk.
   */
  append(agent: string, envelopes: readonly StoredEnvelope[]): Promise<void>;
  /** Returns all stored envelopes, each once, in order. */
  read(agent: string): Promise<readonly StoredEnvelope[]>;
  /**
   * Yields all stored and then all new envelopes, each once, in order. Ends when the signal aborts or the team closes.
   */
  follow(agent: string, signal: AbortSignal): AsyncIterable<AgentNews>;
  /** Removes the stored events of this agent. */
  forget(agent: string): Promise<void>;
}

export type AgentNews =
  | { readonly envelope: StoredEnvelope }
  /** This many events of the agent in this session are missing before the next one. */
  | { readonly missing: number; readonly session: string };
