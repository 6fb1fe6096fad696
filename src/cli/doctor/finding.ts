import type { Machine } from "./inspect-machine.ts";

/** The result of one check. Never contains a key or a part of one. */
export interface Finding {
  readonly name: string;
  /** `missing` means optional, unless the finding `blocks`. */
  readonly status: "ok" | "missing" | "problem";
  readonly detail: string;
  readonly advice?: string;
  /** True if `troupe -p` cannot run here. */
  readonly blocks?: boolean;
}

/** Checks one thing. May return several findings or none. */
export interface Check {
  readonly name: string;
  find(machine: Machine): Promise<readonly Omit<Finding, "name">[]>;
}
