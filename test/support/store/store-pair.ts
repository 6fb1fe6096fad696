import { onTestFinished } from "vitest";
import type { StoredTeam, TeamStore } from "../../../src/store/index.ts";

/** Two stores on the same data, as two processes have them, and a way to let time pass for leases. */
export interface StorePair {
  readonly store: TeamStore;
  readonly other: TeamStore;
  readonly leaseMs: number;
  letTimePass(ms: number): void;
}

/** One team, opened by both. */
export async function openTwice(pair: StorePair): Promise<{ pair: StorePair; one: StoredTeam; two: StoredTeam }> {
  const one = await pair.store.create({ name: "crew", cwd: "/work" });
  const two = await pair.other.open("crew");
  onTestFinished(async () => {
    await one.close();
    await two.close();
  });
  return { pair, one, two };
}

export const worker = (member: string) => ({ name: member, cwd: "/work", backendType: "in-process" as const });

/** All changes up to and including the last one. */
export async function collect<T>(changes: AsyncIterable<T>, isLast: (change: T) => boolean): Promise<T[]> {
  const seen: T[] = [];
  for await (const change of changes) {
    seen.push(change);
    if (isLast(change)) break;
  }
  return seen;
}
