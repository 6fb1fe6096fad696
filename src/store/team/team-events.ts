import type { StoredEnvelope } from "../../protocol/index.ts";

/**
 * What happens in the agents of a team that run elsewhere, for whoever leads it or looks on. The truth is the log on the
 * machine that runs the agent: it goes on while nobody can be told.
 */
export interface TeamEvents {
  /** In order. Resolves when the stream has it; while the bus is away, when it is on this disk and will be sent. */
  append(agent: string, envelopes: readonly StoredEnvelope[]): Promise<void>;
  /** All that is kept, each once, in order. */
  read(agent: string): Promise<readonly StoredEnvelope[]>;
  /** All that is kept and then all that comes, each once, in order; pushed. Ends when the signal aborts or the team closes. */
  follow(agent: string, signal: AbortSignal): AsyncIterable<AgentNews>;
  /** Nobody needs what is kept of this agent any more. */
  forget(agent: string): Promise<void>;
}

export type AgentNews =
  | { readonly envelope: StoredEnvelope }
  /** So many events of this agent in this session should have come before the next one, and did not. */
  | { readonly missing: number; readonly session: string };
