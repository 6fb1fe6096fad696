// Members in one process that pass messages around. Prints the time for that, and the cost of idle members. Arguments:
// library, folder, members, messages.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { benchModel, call, openTeam, spawning, words } from "../team-model.mjs";

const [library, folder, memberCount, messageCount] = process.argv.slice(2);
const members = Number(memberCount);
const messages = Number(messageCount);
/** Messages in flight at the same time. */
const tokens = 20;
const nameOf = (index) => `member-${index}`;

let folders = 0;
const emptyFolder = () => {
  const path = join(folder, `own-${++folders}`);
  mkdirSync(path);
  return path;
};
const held = () => {
  for (let i = 0; i < 4; i++) globalThis.gc();
  const { rss, heapUsed, external } = process.memoryUsage();
  return { rss, heapUsed: heapUsed + external };
};

const settings = { limits: { maxConcurrentAgents: 200 } };
const sessionMs = await startSessions(10);
const spawnMs = [];
const memory = [];
/** One byte for each message, so that the bookkeeping does not dominate the memory. */
const heard = new Uint8Array(messages);
let delivered = 0;
let twice = 0;
let spawnedAt = 0;
const home = emptyFolder();
/** The number of messages in this round, and the callback when all have arrived. */
let target = 0;
let finished = () => undefined;

// Small, so that conversations are compacted on the way: growth is then not due to their text.
const size = { contextWindow: 10_000, inputTokens: (request) => request.messages.length * 100 };
const model = benchModel({
  ...size,
  answer: (request) => (request.caller.agentPath === "lead" ? lead(request) : member(request)),
});
const session = await openTeam(
  { library, emptyFolder: () => home },
  { model, team: "bench", cwd: emptyFolder(), settings, keep: "none" },
);
await session.ask("start them, one after another");
await settled();
memory.push({ what: "resting", count: members, ...held() });

const { openTeam: openFiles } = await import(library);
const files = await openFiles("bench", { home: join(home, "troupe"), env: {} });
// Compares the same idle state, after few and after many messages.
let seconds = 0;
for (const count of [messages / 5, messages]) seconds += await passAround(count);

// Recent writes are still being synced.
await sleep(2000);
const cpu = process.cpuUsage();
const restedAt = performance.now();
await sleep(5000);
const used = process.cpuUsage(cpu);
const idlePercent = (used.user + used.system) / 10 / (performance.now() - restedAt);
await files.close();
await session.close();
console.log(JSON.stringify({ sessionMs, spawnMs, memory, seconds, delivered, twice, idlePercent }));

async function passAround(count) {
  const from = performance.now();
  const hop = target / tokens;
  target = count;
  const done = new Promise((resolve) => (finished = resolve));
  for (let token = 0; token < tokens; token++)
    await files.mailbox.send({ from: "user", to: nameOf(token % members), text: text(token, hop) });
  await done;
  const tookMs = performance.now() - from;
  await settled();
  memory.push({ what: "messages", count: delivered, ...held() });
  return tookMs / 1000;
}

function lead({ caller }) {
  if (caller.purpose !== "answer") return words("We started the members.");
  if (caller.turn > members) return words("finished");
  if (caller.turn === 3) memory.push({ what: "resting", count: 2, ...held() });
  spawnedAt = performance.now();
  return spawning(1, () => ({ name: nameOf(caller.turn - 1), prompt: "Wait for mail." }));
}

/** Passes on everything received since its last answer. */
function member({ caller, messages: conversation }) {
  if (caller.purpose !== "answer") return words("I pass on what I am sent.");
  if (caller.turn === 1) spawnMs.push(performance.now() - spawnedAt);
  const since = conversation.slice(conversation.findLastIndex(({ role }) => role === "assistant") + 1);
  const said = since.flatMap(({ parts = [] }) =>
    parts.flatMap((part) => [...(part.text ?? "").matchAll(/token (\d+) hop (\d+);/g)]),
  );
  const next = said
    .map(([, token, hop]) => passOn(caller.agentPath, Number(token), Number(hop)))
    .filter((one) => one !== undefined);
  return next.length === 0 ? words("well") : { parts: next.flatMap(({ parts }) => parts) };
}

function passOn(path, token, hop) {
  const key = hop * tokens + token;
  if (heard[key] === 1) twice += 1;
  else delivered += 1;
  heard[key] = 1;
  if (delivered === target) finished();
  if (hop + 1 >= target / tokens) return undefined;
  const own = Number(/member-(\d+)/.exec(path)[1]);
  // The receiver changes, because too many mails to one member are rejected.
  const to = nameOf((own + 1 + ((hop * 7 + token) % (members - 1))) % members);
  return call("SendMessage", { to, message: text(token, hop + 1), summary: "the next one" });
}

function text(token, hop) {
  return `token ${token} hop ${hop};`;
}

/** Waits until all agents are idle. */
async function settled() {
  for (;;) {
    await session.settled();
    if (session.backgroundRunning().length === 0) return;
    await sleep(20);
  }
}

/** The comparison for a member: a separate session, up to its first request. */
async function startSessions(count) {
  const times = [];
  for (let i = 0; i < count; i++) {
    const from = performance.now();
    const once = benchModel({
      answer: () => {
        times.push(performance.now() - from);
        return words("hello");
      },
    });
    const alone = await openTeam({ library, emptyFolder }, { model: once });
    await alone.ask("hi");
    await alone.close();
  }
  return times;
}
