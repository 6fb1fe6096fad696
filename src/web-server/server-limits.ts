export interface ServerLimits {
  readonly maxStreams: number;
  /** Connections that have not shown the cookie yet. */
  readonly maxUnauthenticated: number;
  /** A request that is not whole after so long is dropped. */
  readonly requestMs: number;
}

export const defaultLimits: ServerLimits = { maxStreams: 64, maxUnauthenticated: 64, requestMs: 15_000 };
