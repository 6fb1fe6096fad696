// Corrupts one file of a home, runs commands on it, and judges what they do: no crash, no hang, no silent loss.
import { spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { corruptFile, createRandom } from "./corrupt-file.mjs";

const program = resolve(import.meta.dirname, "../dist/troupe.cjs");
/** Far more than any command takes, also on a busy machine. */
const hangMs = 120_000;

const script = {
  version: 1,
  rules: [
    {
      when: { agent: "lead", turn: 1 },
      answer: {
        calls: [
          { tool: "TaskCreate", input: { subject: "paint the fence", description: "all of it", needs: ["Brush"] } },
          { tool: "Agent", input: { name: "anna", description: "helps", prompt: "say hello" } },
          { tool: "Agent", input: { description: "looks", prompt: "look around" } },
          { tool: "SendMessage", input: { to: "anna", message: "a word for anna" } },
        ],
      },
    },
    { answer: { text: "fine" } },
  ],
};

/** Each command, and the words that its output must have unless it tells what is wrong. */
const commands = (scriptFile) => [
  { args: ["sessions", "list"], facts: (lead) => [lead] },
  { args: ["team", "show", "alpha"], facts: () => ["anna"] },
  { args: ["tasks", "list", "--team", "alpha"], facts: () => ["paint the fence"] },
  { args: ["team", "log", "alpha"], facts: () => ["paint the fence"] },
  { args: ["team", "inbox", "alpha", "anna"], facts: () => ["a word for anna"] },
  {
    args: ["-p", "again", "--continue", "--model", `scripted/${scriptFile}`],
    facts: () => ["fine"],
  },
];

/** Starts the dashboard, reads its sessions, a transcript and the mail as a browser does, and ends it. */
async function visitDashboard({ cwd, home, lead }) {
  const child = spawn(process.execPath, [program, "web", "--no-open", "--json", "--port", "0"], {
    cwd,
    env: { PATH: process.env.PATH, HOME: home, TROUPE_HOME: home },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = collect(child);
  const url = await Promise.race([
    new Promise((settle) => child.stdout.on("data", (chunk) => settle(/http[^"\s]+/.exec(chunk)?.[0]))),
    ended.then(() => undefined),
  ]);
  if (url === undefined) return ended;
  const seen = await readPages(url, lead).catch(({ message }) => message);
  child.kill("SIGTERM");
  const { stdout, ...rest } = await ended;
  return { ...rest, code: rest.code === endedByUs ? 0 : rest.code, stdout: stdout + seen };
}

const endedByUs = 128 + 15;

async function readPages(url, lead) {
  const opened = await fetch(url, { redirect: "manual" });
  const headers = { cookie: opened.headers.get("set-cookie")?.split(";")[0] ?? "" };
  const paths = ["/api/transcript", "/api/mail"].map((path) => new URL(`${path}?session=${lead}`, url));
  const pages = await Promise.all(paths.map((path) => fetch(path, { headers })));
  return (await Promise.all(pages.map((page) => page.text()))).join("\n");
}

/** A home with a session, a team, tasks and mail. Call `remove` when done. */
export async function createCorruptionGround() {
  const root = mkdtempSync(join(tmpdir(), "troupe-corruptions-"));
  const project = join(root, "project");
  const home = join(root, "home");
  mkdirSync(project);
  mkdirSync(home, { mode: 0o700 });
  const scriptFile = join(root, "script.json");
  writeFileSync(scriptFile, JSON.stringify(script));
  const args = ["-p", "begin", "--team", "alpha", "--model", `scripted/${scriptFile}`];
  const begun = await run(args, { cwd: project, home });
  const listed = await run(["sessions", "list", "--json"], { cwd: project, home });
  const lead = /"sessionId":"(ses_\w+)"(?!.*"role":"teammate")/.exec(listed.stdout)?.[1];
  if (lead === undefined) throw new Error(`no session to corrupt: ${begun.stdout}${begun.stderr}${listed.stderr}`);
  return { root, project, home, scriptFile, lead, remove: () => rmSync(root, { recursive: true, force: true }) };
}

/** Plays one round. Returns what was corrupted, and the faults. */
export async function playCorruption(ground, seed) {
  const random = createRandom(seed);
  const home = join(ground.root, `round-${seed}`);
  cpSync(ground.home, home, { recursive: true, verbatimSymlinks: true });
  try {
    // The code cache has many files. One round in ten is enough for it.
    const isCache = seed % 10 === 0;
    const files = filesBelow(home).filter((path) => relative(home, path).startsWith("cache") === isCache);
    const file = files[Math.floor(random() * files.length)];
    const what = corruptFile(file, random);
    const done = `${what} in ${relative(home, file).replaceAll(ground.lead, "LEAD")}`;
    const faults = [];
    for (const { args, facts } of commands(ground.scriptFile)) {
      const ended = await run(args, { cwd: ground.project, home });
      const fault = faultOf(ended, facts(ground.lead));
      if (fault !== undefined) faults.push(`${args.slice(0, 3).join(" ")}: ${fault}`);
    }
    const fault = faultOf(await visitDashboard({ cwd: ground.project, home, lead: ground.lead }), ["paint the fence"]);
    if (fault !== undefined) faults.push(`web: ${fault}`);
    return { seed, done, faults };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** Words with which a command tells of damage. */
const telling =
  /damage|checksum|not a record|no events|cannot|could not|unreadable|problem|missing|no longer|invalid|not valid|not JSON|is empty|zeros|ignored|repeated|torn|cut off|quarantin|moved to|failed|no rights|permission denied/i;

function faultOf({ code, signal, stdout, stderr, isHung }, facts) {
  if (isHung) return `hangs: ${stderr.slice(-300)}`;
  if (signal !== null) return `dies by ${signal}`;
  if (/bug in troupe|^\s+at .*:\d+:\d+\)?$/m.test(stderr)) return `crashes: ${stderr.slice(0, 400)}`;
  if (code !== 0 && stderr.trim() === "") return `exits with ${code} without a word`;
  const lost = facts.filter((fact) => !stdout.includes(fact));
  if (lost.length > 0 && !telling.test(stdout + stderr))
    return `loses ${lost.join(", ")}: ${stdout.slice(0, 200)}${stderr.slice(0, 200)}`;
  return undefined;
}

function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

function run(args, { cwd, home }) {
  const env = { PATH: process.env.PATH, HOME: home, TROUPE_HOME: home };
  return collect(spawn(process.execPath, [program, ...args], { cwd, env, stdio: ["ignore", "pipe", "pipe"] }));
}

/** Resolves with what the process printed and how it ended. A process that hangs is killed. */
function collect(child) {
  return new Promise((settle, reject) => {
    const text = { stdout: "", stderr: "" };
    for (const stream of ["stdout", "stderr"])
      child[stream].setEncoding("utf8").on("data", (chunk) => {
        text[stream] += chunk;
      });
    let isHung = false;
    const late = setTimeout(() => {
      isHung = true;
      child.kill("SIGKILL");
    }, hangMs);
    child.once("error", reject);
    child.once("close", (code, signal) => {
      clearTimeout(late);
      settle({ code, signal, isHung, ...text });
    });
  });
}
