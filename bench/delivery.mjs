import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { atMost, quantile, row } from "./measure.mjs";
import { openReference } from "./reference-mailbox.mjs";
import { environment, refuseEarly, start } from "./start-up.mjs";
import { benchModel, openTeam, spawning, words } from "./team-model.mjs";

const trials = 120;
const warmUp = 10;
const busyTrials = 100;

/** From `send()` to the receiver's next request to its model. Uses the machine's clock, which all processes share. */
export async function run(bench) {
  const reference = await throughReference(bench);
  const rows = [];
  for (const [what, measure] of [
    ["another process, scripted", inOwnProcess("scripted")],
    ["another process, Anthropic over HTTP", inOwnProcess("anthropic")],
    ["another process, OpenAI over HTTP", inOwnProcess("openai")],
    ["the same process", inThisProcess],
  ])
    rows.push(...rowsOf(what, await measure(bench), reference));
  for (const wire of ["anthropic", "openai"]) {
    const heard = await whileBusy(bench, wire);
    rows.push({
      ...row({
        what: `busy, ${wire}: received with its next tool result, of ${busyTrials}`,
        unit: "",
        values: [heard],
      }),
      goal: "all",
      reached: heard === busyTrials,
    });
  }
  return rows;
}

function rowsOf(what, { values, bare }, reference) {
  const against = "fs.watch, one read, one fetch if over HTTP";
  const p95 = (list) => [quantile(list, 0.95)];
  return [
    row({ what: `idle, ${what}`, values, bare, against, goal: atMost(5, "ms") }),
    row({ what: "the same, p95", values: p95(values), bare: p95(bare), against, goal: atMost(25, "ms") }),
    row({ what: "the same, median", values, bare: reference, against: "JSON array, lock, polled every 500 ms" }),
  ];
}

const now = () => Number(process.hrtime.bigint()) / 1e6;

/** The user writes to an idle member; the answer contains the time of the request. Alternates with the bare minimum. */
async function idleTrials(bench, team, isOverHttp) {
  const least = await startBare(bench, isOverHttp);
  const reports = team.mailbox.watch("team-lead")[Symbol.asyncIterator]();
  const values = [];
  const bare = [];
  try {
    for (let trial = 0; trial < trials + warmUp; trial++) {
      await sleep(20 + Math.random() * 30);
      const bareMs = await least.measure();
      await sleep(20 + Math.random() * 30);
      const sentAt = now();
      await team.mailbox.send({ from: "user", to: "receiver", text: `number ${trial}` });
      let askedAt = 0;
      while (askedAt < sentAt) askedAt = await nextResult(reports);
      if (trial < warmUp) continue;
      values.push(askedAt - sentAt);
      bare.push(bareMs);
    }
  } finally {
    await reports.return();
    await least.close();
  }
  return { values, bare };
}

/** `measure` returns the time from writing a line until another process requests an answer for it. */
async function startBare(bench, isOverHttp) {
  const folder = bench.emptyFolder();
  const file = join(folder, "lines");
  writeFileSync(file, "");
  const server = createServer((request, response) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk)).on("end", () => response.end(String(now())));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${server.address().port}`;
  const args = [bench.child("bare-receiver"), file, ...(isOverHttp ? [url] : [])];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  await lines.next();
  return {
    async measure() {
      const sentAt = now();
      appendFileSync(file, `${JSON.stringify({ text: "a line" })}\n`);
      return Number((await lines.next()).value) - sentAt;
    },
    async close() {
      child.kill("SIGKILL");
      await once(child, "close");
      server.closeAllConnections();
      server.close();
    },
  };
}

async function nextResult(reports) {
  for (;;) {
    const { value, done } = await reports.next();
    if (done) throw new Error("the receiver reports nothing more");
    if (value.body.kind === "idle_notification" && value.body.result) return Number(value.body.result);
  }
}

const inOwnProcess = (kind) => (bench) =>
  withReceiver(bench, kind, {
    answer: (_, server) => ({ text: String(server.requests.at(-1).at) }),
    use: (team) => idleTrials(bench, team, kind !== "scripted"),
  });

/** A receiver in a separate process, as in a pane. */
async function withReceiver(bench, kind, { answer, use }) {
  const { createTeam } = await import(bench.library);
  const { startModelServer, systemClock } = await import(bench.testing);
  const home = bench.emptyFolder();
  const cwd = bench.emptyFolder();
  const server = await startModelServer({ clock: { ...systemClock, now }, script: (ask) => answer(ask, server) });
  const env = environment(home, server.url);
  const team = await createTeam("bench", { home: env.TROUPE_HOME, env, cwd });
  await team.record.join({
    name: "receiver",
    cwd,
    backendType: "tmux",
    agentType: "general-purpose",
    model: { scripted: scriptIn(home), anthropic: "sonnet", openai: "openai/gpt-5.1" }[kind],
    mode: "bypassPermissions",
  });
  const receiver = start([bench.program, "teammate", "--team", team.name, "--name", "receiver"], { cwd, env });
  try {
    await Promise.race([receiver.printed("receiver of bench"), receiver.ended.then(refuseEarly)]);
    return await Promise.race([use(team, server), receiver.ended.then(refuseEarly)]);
  } finally {
    receiver.kill();
    await receiver.ended;
    await team.close();
    await server.close();
  }
}

function scriptIn(folder) {
  const path = join(folder, "script.mjs");
  writeFileSync(path, "export default () => ({ text: String(Number(process.hrtime.bigint()) / 1e6) });\n");
  return `scripted/${path}`;
}

/** The receiver runs in the sender's process; they still communicate through the team's files. */
async function inThisProcess(bench) {
  const library = await import(bench.library);
  const home = bench.emptyFolder();
  const model = benchModel({
    answer: ({ caller }) => {
      if (caller.agentPath !== "lead") return words(String(now()));
      return caller.turn === 1 ? spawning(1, () => ({ name: "receiver" })) : words("well");
    },
  });
  const session = await openTeam(
    { ...bench, emptyFolder: () => home },
    { model, team: "bench", cwd: bench.emptyFolder() },
  );
  const team = await library.openTeam("bench", { home: join(home, "troupe"), env: {} });
  try {
    await session.ask("go on");
    return await idleTrials(bench, team, false);
  } finally {
    await team.close();
    await session.close();
  }
}

/** Sends while a tool runs. Counts how often the request after the tool's result contained the message. */
async function whileBusy(bench, wire) {
  let heard = 0;
  let waiting;
  let send = () => undefined;
  let finished = () => undefined;
  const done = new Promise((resolve) => (finished = resolve));
  const answer = ({ request }) => {
    const said = JSON.stringify(request.messages);
    if (waiting !== undefined && said.includes(waiting)) heard += 1;
    if (waiting === `number ${busyTrials};`) {
      finished();
      return { text: "done" };
    }
    waiting = undefined;
    send();
    return { calls: [{ tool: "Bash", input: { command: "sleep 0.05" } }] };
  };
  let count = 0;
  await withReceiver(bench, wire, {
    answer,
    async use(team) {
      const write = async () => {
        await sleep(Math.random() * 30);
        count += 1;
        waiting = `number ${count};`;
        await team.mailbox.send({ from: "user", to: "receiver", text: waiting });
      };
      const failed = new Promise((_, reject) => {
        send = () => void write().catch(reject);
      });
      await team.mailbox.send({ from: "user", to: "receiver", text: "begin" });
      await Promise.race([done, failed]);
    },
  });
  return heard;
}

/** The reference design: its receiver reports when it has seen the mail, without a model. */
async function throughReference(bench) {
  const folder = bench.emptyFolder();
  const inbox = openReference(join(folder, "receiver.json"));
  const answers = openReference(join(folder, "sender.json"));
  const receiver = start([bench.child("polling-receiver"), folder], {
    cwd: folder,
    env: environment(folder, "http://127.0.0.1:9"),
  });
  const values = [];
  try {
    await receiver.printed("ready");
    for (let trial = 0; trial < 20; trial++) {
      await sleep(Math.random() * 500);
      const sentAt = now();
      await inbox.send(String(trial));
      let seen;
      while (seen === undefined) {
        await sleep(5);
        seen = answers.read()[trial];
      }
      values.push(Number(seen.text) - sentAt);
    }
    return values;
  } finally {
    receiver.kill();
    await receiver.ended;
  }
}
