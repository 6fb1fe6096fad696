import { rmdirSync, mkdirSync } from "node:fs";
import { claim, createIdFactory, systemClock } from "../../../src/platform/index.ts";

/**
 * A child process that messages control: `{ path }` claims once and answers `held` or the error's code. `{ path,
 * inside, times }` enters and leaves a critical section that many times and answers how often another process was in
 * it. With a path as an argument it claims that file until its input ends.
 */
const createId = createIdFactory(systemClock);
const options = { what: "It", createId, clock: systemClock };

interface Task {
  readonly path: string;
  readonly inside?: string;
  readonly times?: number;
  readonly limitBytes?: number;
}

const [only] = process.argv.slice(2);
if (only !== undefined) {
  process.stdin.resume();
  process.stdout.write(`${await once(only)}\n`);
}

process.on("message", (task: Task) => {
  void (task.inside === undefined ? once(task.path) : often(task, task.inside)).then((answer) =>
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

async function often({ path, times = 0, limitBytes }: Task, inside: string): Promise<{ entered: number; met: number }> {
  const short = { ...options, ...(limitBytes !== undefined && { limitBytes }) };
  let entered = 0;
  let met = 0;
  while (entered < times) {
    try {
      const held = await claim(path, short);
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
