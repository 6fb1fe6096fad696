import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { atMost, interleave, row } from "./measure.mjs";

const size = 10_000_000;
const goal = atMost(100, "ms");

/**
 * Searches 10 MB of text for secrets, against writing the same text as JSON, which also happens to every result. CPU
 * time.
 */
export async function run(bench) {
  const { createRedactStream, redactSecrets } = await bench.inside("platform");
  const texts = {
    "source code": repeated(readFileSync(new URL("../src/agent/run-agent.ts", import.meta.url), "utf8")),
    "a lock file": repeated(readFileSync(new URL("../package-lock.json", import.meta.url), "utf8")),
    Base64: randomBytes((size * 3) / 4).toString("base64"),
  };
  const chunk = Buffer.from(texts["source code"].slice(0, 65_536));
  const tasks = {};
  for (const [name, text] of Object.entries(texts)) {
    tasks[name] = () => timed(() => redactSecrets(text));
    tasks[`${name}, JSON`] = () => timed(() => JSON.stringify(text));
  }
  tasks.pieces = () =>
    timed(() => {
      const stream = createRedactStream();
      for (let bytes = 0; bytes < size; bytes += chunk.length) stream.push(chunk);
      stream.flush();
    });
  const seen = await interleave(tasks, { rounds: 9, warmUp: 2, seconds: 15 });
  const against = "JSON.stringify";
  return [
    ...Object.keys(texts).map((name) =>
      row({ what: `10 MB of ${name}`, values: seen[name], bare: seen[`${name}, JSON`], against, goal }),
    ),
    row({ what: "10 MB in pieces of 64 kB", values: seen.pieces, bare: seen["source code, JSON"], against, goal }),
  ];
}

const repeated = (text) => text.repeat(Math.ceil(size / text.length)).slice(0, size);

/** CPU time: nothing here waits. */
function timed(work) {
  const started = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(started);
  return (user + system) / 1000;
}
