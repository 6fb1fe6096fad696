/** How a store notices that the process of a member is gone. */
export interface PresenceTimes {
  /** How long a member's presence counts without renewal, and how often it is renewed. */
  readonly leaseMs?: number;
  readonly beatMs?: number;
  /** Milliseconds since the machine started, the same for every process on it. */
  readonly uptime?: () => number;
}
