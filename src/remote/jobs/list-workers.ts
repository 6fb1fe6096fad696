import { type Bus, hasNoResponders } from "../../store/nats/index.ts";
import { WorkerInfo } from "./job.ts";
import { workerQuerySubject } from "./work-subjects.ts";

/** Returns the workers that answer now. */
export async function listWorkers(bus: Bus): Promise<WorkerInfo[]> {
  const found: WorkerInfo[] = [];
  try {
    const answers = await bus.connection.requestMany(workerQuerySubject, "", {
      strategy: "stall",
      maxWait: 1000,
      stall: 200,
    });
    for await (const answer of answers) {
      const info = WorkerInfo.safeParse(answer.json());
      if (info.success) found.push(info.data);
    }
  } catch (error) {
    if (!hasNoResponders(error)) throw error;
  }
  return found;
}
