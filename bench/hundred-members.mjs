import { environment, start } from "./start-up.mjs";
import { atMost, row } from "./measure.mjs";

const members = 100;
const messages = 10_000;

/**
 * A hundred members in one process that pass messages around. Runs in a separate process, so that its resource use can
 * be measured.
 */
export async function run(bench) {
  const folder = bench.emptyFolder();
  const args = [
    "--expose-gc",
    bench.child("hundred-members"),
    bench.library,
    folder,
    String(members),
    String(messages),
  ];
  const child = start(args, { cwd: folder, env: environment(folder, "http://127.0.0.1:9"), timeoutMs: 600_000 });
  const { code, output, errors } = await child.ended;
  if (code !== 0) throw new Error(`the child process exited with code ${code}: ${errors}`);
  const { sessionMs, spawnMs, memory, seconds, delivered, twice, idlePercent } = JSON.parse(output);
  const warm = (values) => values.slice(5);
  const at = (what) => memory.filter((each) => each.what === what);
  const [few, all] = at("resting");
  const [early, late] = at("messages");
  const [megabyte, kilobyte] = [1024 * 1024, 1024];
  const against = "a session to its first request";
  const when = `when ${early.count} were`;
  return [
    row({
      what: "spawn: from an answer to the member's first request",
      values: warm(spawnMs),
      bare: warm(sessionMs),
      against,
    }),
    row({
      what: `each further idle member, RSS, of ${members}`,
      unit: "MB",
      values: [(all.rss - few.rss) / (all.count - few.count) / megabyte],
      goal: atMost(1, "MB"),
    }),
    row({ what: "messages that never arrived", unit: "", values: [messages - delivered], goal: atMost(0, "") }),
    row({ what: "messages that arrived twice", unit: "", values: [twice], goal: atMost(0, "") }),
    row({ what: "messages a second", unit: "", values: [messages / seconds] }),
    row({
      what: `RSS when all ${messages} were passed on`,
      unit: "MB",
      values: [late.rss / megabyte],
      bare: [early.rss / megabyte],
      against: `RSS ${when}`,
    }),
    row({
      what: "the same, heap",
      unit: "MB",
      values: [late.heapUsed / megabyte],
      bare: [early.heapUsed / megabyte],
      against: `heap ${when}`,
    }),
    row({
      what: "the same, heap for each further message",
      unit: "kB",
      values: [(late.heapUsed - early.heapUsed) / (late.count - early.count) / kilobyte],
    }),
    row({ what: "CPU while all members are idle", unit: "%", values: [idlePercent], goal: atMost(2, "%") }),
  ];
}
