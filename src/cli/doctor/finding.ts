import type { Machine } from "./inspect-machine.ts";

/** What one check came to. Never holds a key or a part of one. */
export interface Finding {
  readonly name: string;
  /** `missing` is something one can do without, unless it `blocks`. */
  readonly status: "ok" | "missing" | "problem";
  readonly detail: string;
  readonly advice?: string;
  /** As it is, `troupe -p` will not run here. */
  readonly blocks?: boolean;
}

/** One idea each. May give several findings of its kind, or none. */
export interface Check {
  readonly name: string;
  find(machine: Machine): Promise<readonly Omit<Finding, "name">[]>;
}
