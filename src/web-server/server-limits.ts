export interface ServerLimits {
  readonly maxStreams: number;
  /** Maximum number of connections without a valid cookie. */
  readonly maxUnauthenticated: number;
  /** An incomplete request is dropped after this time. */
  readonly requestMs: number;
}

export const defaultLimits: ServerLimits = { maxStreams: 64, maxUnauthenticated: 64, requestMs: 15_000 };
