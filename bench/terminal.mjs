import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { screenModel } from "./screen-model.mjs";

/** Runs a program in a separate terminal without a window: `script` creates it and forwards input and output. */
export function openTerminal(command, { cwd, env, columns = 120, rows = 40 }) {
  const words = command.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
  const line = `stty cols ${columns} rows ${rows}; exec ${words}`;
  const startedAt = performance.now();
  const child = spawn("script", ["-q", "-f", "-e", "-c", line, "/dev/null"], {
    cwd,
    env,
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lookers = new Set();
  let bytes = 0;
  /** The changes on the screen, summed over frames. */
  const changed = { frames: 0, bytes: 0, cells: 0 };
  const model = screenModel({
    columns,
    rows,
    onFrame(change) {
      changed.frames += 1;
      changed.bytes += change.bytes;
      changed.cells += change.cells;
    },
  });
  child.stdout.setEncoding("utf8").on("data", (text) => {
    bytes += Buffer.byteLength(text);
    model.write(text);
    for (const look of lookers) look();
  });
  const ended = new Promise((resolve) => child.on("close", resolve));

  /** Resolves with the time when the screen matches. */
  const until = (fits) =>
    new Promise((resolve, reject) => {
      const look = () => {
        if (!fits(model.screen())) return;
        lookers.delete(look);
        resolve(performance.now());
      };
      lookers.add(look);
      look();
      void ended.then(() =>
        reject(new Error(`the program ended early: ${JSON.stringify(model.screen().slice(-500))}`)),
      );
    });

  return {
    startedAt,
    ended,
    until,
    /** Bytes written so far. */
    written: () => bytes,
    changed: () => ({ ...changed }),
    type: (keys) => child.stdin.write(keys),
    /** CPU milliseconds of the program itself. */
    cpuMs() {
      const stat = readFileSync(`/proc/${programOf(child.pid)}/stat`, "utf8");
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return (Number(fields[11]) + Number(fields[12])) * 10;
    },
    async close() {
      if (child.exitCode !== null) return;
      process.kill(programOf(child.pid), "SIGTERM");
      await ended;
    },
  };
}

/** `script` starts a shell, which then becomes the program. */
function programOf(pid) {
  const [first] = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
  return Number(first);
}
