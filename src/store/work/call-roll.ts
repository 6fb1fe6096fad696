import type { Bus } from "../nats/bus.ts";
import { hasNoResponders } from "../nats/bus-errors.ts";
import { WorkerSign } from "./job.ts";
import { rollCall } from "./work-subjects.ts";

/** The workers that answer now. */
export async function callRoll(bus: Bus): Promise<WorkerSign[]> {
  const found: WorkerSign[] = [];
  try {
    const answers = await bus.connection.requestMany(rollCall, "", { strategy: "stall", maxWait: 1000, stall: 200 });
    for await (const answer of answers) {
      const sign = WorkerSign.safeParse(answer.json());
      if (sign.success) found.push(sign.data);
    }
  } catch (error) {
    if (!hasNoResponders(error)) throw error;
  }
  return found;
}
