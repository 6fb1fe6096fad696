import { rmdirSync, mkdirSync } from "node:fs";
import { claim, idMaker, systemClock } from "../../../src/platform/index.ts";

/**
 * A child that is told by message what to do:
 * `{ path }` claims once and answers `held` or the error's code; `{ path, inside, times }` enters and leaves a
 * critical section that many times and answers how often it found somebody else in it.
 */
const createId = idMaker(systemClock);
const options = { what: "It", createId, clock: systemClock };

process.on("message", (task: { path: string; inside?: string; times?: number }) => {
  void (task.inside === undefined ? once(task.path) : often(task.path, task.inside, task.times ?? 0)).then((answer) =>
    process.send?.(answer),
  );
});

async function once(path: string): Promise<string> {
  try {
    await claim(path, options);
    return "held";
  } catch (error) {
    return (error as { code: string }).code;
  }
}

async function often(path: string, inside: string, times: number): Promise<{ entered: number; met: number }> {
  let entered = 0;
  let met = 0;
  while (entered < times) {
    try {
      const held = await claim(path, options);
      entered += 1;
      try {
        mkdirSync(inside);
        rmdirSync(inside);
      } catch {
        met += 1;
      }
      await held.release();
    } catch (error) {
      if ((error as { code: string }).code !== "session_busy") throw error;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  return { entered, met };
}
