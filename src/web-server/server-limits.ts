export interface ServerLimits {
  readonly streams: number;
  /** Connections that have not shown the cookie yet. */
  readonly strangers: number;
  /** A request that is not whole after so long is dropped. */
  readonly requestMs: number;
}

export const usualLimits: ServerLimits = { streams: 64, strangers: 64, requestMs: 15_000 };
