// `node golden/old-home.mjs DIR` records a small home with sessions of the current build, without paths of this machine.
// A test resumes these sessions with every later version.
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { openStage } from "./stage.mjs";
import { agent, bypass, call, calls, model, send, stream } from "./sessions/say.mjs";

const program = resolve(import.meta.dirname, "../dist/troupe.cjs");
const { version } = JSON.parse(readFileSync(resolve(import.meta.dirname, "../package.json"), "utf8"));
const team = ["--team", "press", "--settings", JSON.stringify({ teams: { backend: "in-process" } })];

const leads = {
  solo: [
    calls(call("Write", { file_path: "note.txt", content: "The word is heron.\n" })),
    calls(call("Bash", { command: "cat note.txt" })),
    { text: "The word is noted." },
  ],
  agents: [calls(agent("scout", "say what you see", { name: "scout" })), { text: "The scout saw a heron." }],
  team: [
    calls(agent("ann", "wait for tasks", { name: "ann" })),
    calls(
      call("TaskCreate", { subject: "Count herons", description: "All of them.", acceptance: [{ command: "true" }] }),
    ),
    calls(call("TaskCreate", { subject: "Count storks", description: "Later.", needs: ["NoSuchTool"] })),
    { text: "Ann is at work." },
    calls(send("ann", "Two herons, then?", "two?")),
    { text: "I asked Ann." },
    { text: "There are two herons." },
    { text: "The storks have time." },
  ],
  coordinator: [
    calls(agent("counter", "count the herons", { name: "counter" })),
    { text: "A worker counts." },
    { text: "The worker counted two." },
  ],
};

const members = {
  scout: [calls(call("Bash", { command: "echo heron" })), { text: "I saw a heron." }],
  ann: (ask) => {
    if (ask.said.includes("Two herons")) return { text: "Two, yes." };
    if (!ask.said.includes("<task id")) return { text: "I wait." };
    return ask.result ? { text: "Counted." } : calls(call("TaskUpdate", { taskId: 1, status: "completed" }));
  },
  counter: [
    ({ system }) => {
      const folder = /(\/\S+\/scratchpad)\b/.exec(system)[1];
      return calls(call("Write", { file_path: `${folder}/count.md`, content: "Two herons.\n" }));
    },
    { text: "I counted two." },
  ],
};

const [, , target] = process.argv;
if (target === undefined) throw new Error("Usage: node golden/old-home.mjs DIR");
const stage = await openStage({ actors: { ...leads, ...members } }, { program });
try {
  const sessions = {};
  for (const [name, more] of Object.entries({ solo: [], agents: [], team, coordinator: ["--coordinator"] })) {
    const cwd = join(stage.root, name);
    mkdirSync(cwd);
    const before = stage.envelopes.length;
    const args = ["-p", `[actor ${name}] begin`, ...stream, ...model, ...bypass, ...more];
    const { exit, stderr } = await stage.start(args, { cwd }).done;
    if (exit !== 0) throw new Error(`${name} ended with ${exit}: ${stderr}`);
    sessions[name] = stage.envelopes[before].session;
  }
  keep(stage.env.TROUPE_HOME, stage.root, { version, sessions });
} finally {
  await stage.close();
}

/**
 * Copies the stored sessions and teams. `@ROOT@` and `@PROJECT name@` replace paths, and details of the machine are masked.
 * Check sums are removed; the test adds them again.
 */
function keep(home, root, manifest) {
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  for (const folder of ["projects", "teams"]) cpSync(join(home, folder), join(target, folder), { recursive: true });
  const projects = Object.keys(manifest.sessions).map((name) => {
    const folder = readdirSync(join(home, "projects")).find((found) => found.includes(`-${name}~`));
    renameSync(join(target, "projects", folder), join(target, "projects", name));
    return [folder, `@PROJECT ${name}@`];
  });
  for (const path of readdirSync(target, { recursive: true }).map(String)) {
    const file = join(target, path);
    if (!statSync(file).isFile()) continue;
    const places = [...projects, [root, "@ROOT@"]];
    const text = places.reduce((all, [place, name]) => all.replaceAll(place, name), readFileSync(file, "utf8"));
    writeFileSync(file, withoutMachine(text));
  }
  writeFileSync(join(target, "manifest.json"), `${JSON.stringify(manifest, null, 2)}\n`);
}

function withoutMachine(text) {
  return text
    .replaceAll(/"bootId":"[^"]*"/g, '"bootId":"00000000-0000-4000-8000-000000000000"')
    .replaceAll(/"machineId":"[^"]*"/g, '"machineId":"00000000000000000000000000000000"')
    .replaceAll(/"host":"[^"]*"/g, '"host":"elsewhere"')
    .replaceAll(/,"crc":"[0-9a-f]{8}"\}/g, "}")
    .replaceAll(/,"sum":\d+\} *$/g, "}\n")
    .replaceAll(/\n{2,}/g, "\n")
    .trimStart();
}
