import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { atMostMore, interleave, row } from "./measure.mjs";

const rounds = 20;

/** From the start of the process to its first request to a server on this machine. */
export async function run(bench) {
  const server = await startRefusingServer();
  const env = environment(bench.emptyFolder(), server.url);
  const folder = bench.emptyFolder();
  const repository = gitRepository(bench.emptyFolder());
  const script = join(bench.emptyFolder(), "script.json");
  writeFileSync(script, JSON.stringify({ version: 1, rules: [{ answer: { text: "hello" } }] }));

  const troupe = (...flags) => [bench.program, "-p", "hi", ...flags];
  const toRequest = (args, cwd) => async () => {
    const child = start(args, { cwd, env });
    const cpu = await Promise.race([server.nextRequest(child.pid), child.ended.then(refuseEarly)]);
    const time = performance.now() - child.startedAt;
    server.answer();
    await child.ended;
    return { time, cpu, whole: performance.now() - child.startedAt };
  };
  const toTurn = async () => {
    const child = start(troupe("--model", `scripted/${script}`, "--output-format", "stream-json"), {
      cwd: folder,
      env,
    });
    const time = await Promise.race([child.printed('"turn.started"'), child.ended.then(refuseEarly)]);
    const cpu = cpuOf(child.pid);
    await child.ended;
    return { time, cpu, whole: performance.now() - child.startedAt };
  };
  const toEnd = (args) => async () => {
    const child = start(args, { cwd: folder, env });
    await child.ended;
    return performance.now() - child.startedAt;
  };

  const ownCpu = async () => {
    const code = "const { user, system } = process.cpuUsage(); process.stdout.write(String((user + system) / 1000))";
    return Number((await start(["-e", code], { cwd: folder, env }).ended).output);
  };

  const bareFetch = `fetch(${JSON.stringify(server.url)},{method:"POST",body:"{}"}).then((r)=>r.text())`;
  try {
    const seen = await interleave(
      {
        node: toEnd(["-e", "0"]),
        nodeCpu: ownCpu,
        bareFetch: toRequest(["-e", bareFetch], folder),
        version: toEnd([bench.program, "--version"]),
        anthropic: toRequest(troupe("--model", "sonnet"), folder),
        openai: toRequest(troupe("--model", "openai/gpt-5.1"), folder),
        anthropicGit: toRequest(troupe("--model", "sonnet"), repository),
        scripted: toTurn,
      },
      { rounds, seconds: 35 },
    );
    return report(seen);
  } finally {
    await server.close();
  }
}

function report(seen) {
  const against = "node -e 0";
  const goal = atMostMore(100, "ms");
  const times = (name) => seen[name].map(({ time }) => time);
  const cpu = (name) => seen[name].map((it) => it.cpu).filter((value) => value !== undefined);
  const cpuRow = (what, name, goal) =>
    cpu(name).length === 0
      ? []
      : [row({ what, values: cpu(name), bare: seen.nodeCpu, against: "node -e 0, CPU", goal })];
  return [
    row({ what: "one bare fetch to its request", values: times("bareFetch"), bare: seen.node, against }),
    row({ what: "troupe --version", values: seen.version, bare: seen.node, against }),
    row({ what: "anthropic, first request", values: times("anthropic"), bare: seen.node, against, goal }),
    row({ what: "openai, first request", values: times("openai"), bare: seen.node, against, goal }),
    row({ what: "anthropic, first request, in a repository", values: times("anthropicGit"), bare: seen.node, against }),
    row({ what: "scripted, first turn", values: times("scripted"), bare: seen.node, against, goal }),
    ...cpuRow("one bare fetch, CPU time to the request", "bareFetch"),
    ...cpuRow("anthropic, CPU time to the request", "anthropic", goal),
    ...cpuRow("openai, CPU time to the request", "openai", goal),
    ...cpuRow("scripted, CPU time to the turn", "scripted", goal),
    row({
      what: "scripted, whole run",
      values: seen.scripted.map(({ whole }) => whole),
      bare: seen.node,
      against,
    }),
  ];
}

/** Holds every request until `answer`, and then refuses it: the shortest regular end of a run. */
export async function startRefusingServer() {
  let arrived;
  let held;
  const server = createServer((request, response) => {
    held = response;
    request.resume();
    arrived?.();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const refusal = JSON.stringify({ type: "error", error: { type: "invalid_request_error", message: "that is all" } });
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    /** Returns the CPU time, in milliseconds, that the process has used until then. */
    nextRequest: (pid) =>
      new Promise((resolve) => {
        arrived = () => resolve(cpuOf(pid));
      }),
    answer: () => held.writeHead(400, { "content-type": "application/json" }).end(refusal),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

export const environment = (home, url) => ({
  PATH: process.env.PATH,
  HOME: home,
  TROUPE_HOME: join(home, "troupe"),
  ANTHROPIC_API_KEY: "none",
  ANTHROPIC_BASE_URL: url,
  OPENAI_API_KEY: "none",
  OPENAI_BASE_URL: `${url}/v1`,
});

/** Starts a process with this Node; a process that hangs is ended and reported as ended early. */
export function start(args, { cwd, env, timeoutMs = 60_000 }) {
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, {
    cwd,
    env,
    stdio: ["ignore", "pipe", "pipe"],
    timeout: timeoutMs,
    killSignal: "SIGKILL",
  });
  let output = "";
  let errors = "";
  let look = () => undefined;
  child.stdout.setEncoding("utf8").on("data", (text) => {
    output += text;
    look();
  });
  child.stderr.setEncoding("utf8").on("data", (text) => (errors += text));
  return {
    startedAt,
    pid: child.pid,
    kill: () => child.kill("SIGKILL"),
    ended: once(child, "close").then(([code]) => ({ code, output, errors })),
    printed: (text) =>
      new Promise((resolve) => {
        look = () => output.includes(text) && resolve(performance.now() - startedAt);
        look();
      }),
  };
}

export function refuseEarly({ code, output, errors }) {
  throw new Error(`the process exited with code ${code} before its request: ${output}${errors}`);
}

/** CPU time of all its threads in milliseconds; undefined if unknown or after its end. */
function cpuOf(pid) {
  if (process.platform !== "linux") return undefined;
  const folder = `/proc/${pid}/task`;
  try {
    const nanoseconds = readdirSync(folder).map((task) => readFileSync(join(folder, task, "schedstat"), "utf8"));
    return nanoseconds.reduce((total, text) => total + Number(text.split(" ")[0]) / 1e6, 0);
  } catch (error) {
    if (error.code === "ENOENT" || error.code === "ESRCH") return undefined;
    throw error;
  }
}

function gitRepository(folder) {
  const git = (...args) => {
    const who = ["-c", "user.name=bench", "-c", "user.email=bench@localhost"];
    const { status, stderr } = spawnSync("git", [...who, ...args], { cwd: folder, encoding: "utf8" });
    if (status !== 0) throw new Error(`git ${args[0]}: ${stderr}`);
  };
  for (let index = 0; index < 50; index++) writeFileSync(join(folder, `file-${index}.txt`), `${index}\n`);
  git("init", "--quiet");
  git("add", ".");
  git("commit", "--quiet", "--message", "first");
  return folder;
}
