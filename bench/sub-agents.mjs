import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { environment, start } from "./start-up.mjs";
import { atLeast, atMost, interleave, row, sum } from "./measure.mjs";
import { benchModel, call, openTeam, spawning, words } from "./team-model.mjs";

const many = 16;

/** The cost of subagents against a turn of the loop, and the gain of running them in parallel. */
export async function run(bench) {
  return [
    ...(await spawnAndMoveToBackground(bench)),
    ...(await atOnce(bench)),
    ...(await sideBySide(bench)),
    ...(await throughAQueue(bench)),
  ];
}

/**
 * One session that alternates a trivial call, an agent, and an agent that is moved to the background and kept there.
 */
async function spawnAndMoveToBackground(bench) {
  const kinds = ["turn", "back", "toBackground"];
  const rounds = 40;
  const seen = { turn: [], back: [], toBackground: [], spawn: [] };
  const kept = [];
  let step = 0;
  let from = 0;
  let session;
  const model = benchModel({
    async answer({ caller }) {
      const now = performance.now();
      const doing = kinds[(step - 1) % 3];
      if (caller.agentPath === "lead") {
        if (step > 0 && step <= rounds * 3) seen[doing].push(now - from);
        step += 1;
        if (step > rounds * 3) {
          for (const release of kept.splice(0)) release();
          return words("finished");
        }
        from = performance.now();
        return step % 3 === 1 ? call("Tick", {}) : spawning(1);
      }
      seen.spawn.push(now - from);
      from = performance.now();
      if (doing === "toBackground") {
        void session.dispatch({ type: "background" });
        await new Promise((resolve) => kept.push(resolve));
      }
      return words("done");
    },
  });
  session = await openTeam(bench, { model, settings: { limits: { maxConcurrentAgents: 100 } } });
  try {
    await session.ask("go on");
  } finally {
    await session.close();
  }
  const warm = (values) => values.slice(5);
  const bare = warm(seen.turn);
  const against = "one turn of the loop";
  return [
    row({ what: "spawn: from an answer to the subagent's first request", values: warm(seen.spawn), bare, against }),
    row({
      what: "report: from the subagent's last answer to the parent's next request",
      values: warm(seen.back),
      bare,
      against,
    }),
    row({
      what: "move to background: from the command to the parent's next request",
      values: warm(seen.toBackground),
      bare,
      against,
    }),
  ];
}

/** Five real calls, each agent in its own folder. */
const work = (name, turn) =>
  [
    call("Write", { file_path: `${name}/a.txt`, content: `${name}\none\ntwo\n` }),
    call("Read", { file_path: `${name}/a.txt` }),
    call("Edit", { file_path: `${name}/a.txt`, old_string: "one", new_string: "three" }),
    call("Grep", { pattern: "three", path: name }),
    call("Bash", { command: `cat ${name}/a.txt` }),
  ][turn - 1] ?? words(`${name} is done`);

const working = (delayMs) =>
  benchModel({
    delayMs: ({ caller }) => (caller.agentPath === "lead" ? 0 : delayMs),
    answer: ({ caller, messages }) => {
      if (caller.agentPath !== "lead") return work(caller.agentPath.split("/").at(-1), caller.turn);
      return messages.length > 1 ? words("finished") : spawning(many, (index) => ({ name: `w${index}` }));
    },
  });

const runTeam = async (bench, { model, settings }) => {
  const session = await openTeam(bench, { model, settings });
  const started = performance.now();
  const { reason, detail } = await session.ask("go on");
  const time = performance.now() - started;
  await session.close();
  if (reason !== "completed") throw new Error(`the run ended early: ${reason} ${detail ?? ""}`);
  return time;
};

/** The whole program, from start to end; and the same in a warm process. */
async function atOnce(bench) {
  const folder = bench.emptyFolder();
  const script = join(folder, "team.mjs");
  writeFileSync(script, scriptOf());
  let count = 0;
  const asProgram = async () => {
    const cwd = join(folder, `run-${++count}`);
    mkdirSync(cwd);
    const args = [
      bench.program,
      "-p",
      "go on",
      "--model",
      `scripted/${script}`,
      "--permission-mode",
      "bypassPermissions",
    ];
    const child = start(args, { cwd, env: environment(cwd, "http://127.0.0.1:9") });
    const { code, output, errors } = await child.ended;
    if (code !== 0 || !output.includes("16 of 16"))
      throw new Error(`the program exited with code ${code}: ${output}${errors}`);
    return performance.now() - child.startedAt;
  };
  const bareStart = async () => {
    const child = start([bench.program, "--version"], { cwd: folder, env: environment(folder, "http://127.0.0.1:9") });
    await child.ended;
    return performance.now() - child.startedAt;
  };
  const seen = await interleave(
    { program: asProgram, version: bareStart, process: () => runTeam(bench, { model: working(0) }) },
    { rounds: 7, seconds: 20 },
  );
  const goal = atMost(1_200, "ms");
  return [
    row({
      what: "16 subagents x 5 real calls, the whole program",
      values: seen.program,
      bare: seen.version,
      against: "troupe --version",
      goal,
    }),
    row({ what: "the same in a warm process", values: seen.process, goal }),
  ];
}

function scriptOf() {
  return `import { call, spawning, words } from ${JSON.stringify(new URL("./team-model.mjs", import.meta.url).href)};
const work = ${work.toString()};
const asAnswer = ({ parts }) => ({
  parts: parts.map((part) => (part.type === "text" ? { text: part.text } : { tool: part.name, input: part.input })),
});
export default (ask) => {
  if (ask.agent !== "lead") return asAnswer(work(ask.agent.split("/").at(-1), ask.turn));
  if (ask.results.length === 0) return asAnswer(spawning(${many}, (index) => ({ name: "w" + index })));
  return { text: ask.results.filter((result) => result.text.includes("is done")).length + " of " + ask.results.length };
};
`;
}

/** Each answer takes 200 ms, like a fast model's. */
async function sideBySide(bench) {
  const together = [];
  for (let round = 0; round < 3; round++) together.push(await runTeam(bench, { model: working(200) }));
  const oneByOne = [await runTeam(bench, { model: working(200), settings: { limits: { maxConcurrentAgents: 1 } } })];
  return [
    {
      ...row({
        what: "16 subagents x 5 real calls, answers of 200 ms",
        values: together,
        bare: oneByOne,
        against: "the same, one after another",
      }),
      goal: "at least 8 times as fast",
      reached: oneByOne[0] / (sum(together) / together.length) >= 8,
    },
  ];
}

/** Runs in a separate process, to measure its memory. */
async function throughAQueue(bench) {
  const folder = bench.emptyFolder();
  const child = start(["--expose-gc", bench.child("agents-in-queue"), bench.library, folder], {
    cwd: folder,
    env: environment(folder, "http://127.0.0.1:9"),
  });
  const { code, output, errors } = await child.ended;
  if (code !== 0) throw new Error(`the child process exited with code ${code}: ${errors}`);
  const { ideal, time, rows, openLogs } = JSON.parse(output);
  const megabytes = (bytes) => bytes / 1024 / 1024;
  const [early, late] = rows;
  return [
    row({
      what: "200 subagents through 16 slots, share of the ideal",
      unit: "%",
      values: [(100 * ideal) / time],
      goal: atLeast(80, "%"),
    }),
    row({
      what: "the same, RSS when all 200 are done",
      unit: "MB",
      values: [megabytes(late.rss)],
      bare: [megabytes(early.rss)],
      against: `RSS when ${early.ended} are`,
    }),
    row({
      what: "the same, heap",
      unit: "MB",
      values: [megabytes(late.heapUsed)],
      bare: [megabytes(early.heapUsed)],
      against: `heap when ${early.ended} are`,
    }),
    row({ what: "the same, logs of subagents open at the end", unit: "", values: [openLogs], goal: atMost(32, "") }),
    row({
      what: "the same, heap for each further subagent",
      unit: "kB",
      values: [(late.heapUsed - early.heapUsed) / (late.ended - early.ended) / 1024],
      goal: atMost(16, "kB"),
    }),
  ];
}
