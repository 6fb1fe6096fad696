import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { findChromium, launchBareBrowser } from "./bare-browser.mjs";
import { writeLog } from "./long-log.mjs";
import { atLeast, atMost, interleave, quantile, row } from "./measure.mjs";
import { speakingScript } from "./speaking-script.mjs";

const agents = 10;
const openings = 5;
const watchSeconds = 20;
const loadSeconds = 60;

/** The dashboard in real use: `troupe web`, sessions in separate processes, and a real browser. */
export async function run(bench) {
  const home = join(bench.emptyFolder(), "troupe");
  const env = { PATH: process.env.PATH, HOME: bench.emptyFolder(), TROUPE_HOME: home };
  const cwd = bench.emptyFolder();
  const long = await writeLongSession(bench, { home, cwd });
  const place = { bench, env, cwd };
  const web = await startWeb(place);
  const browser = await chromium.launch({ executablePath: findChromium(), args: ["--no-sandbox", "--disable-gpu"] });
  try {
    return [
      ...(await weighing(bench, web)),
      ...(await opening(bench, { web, long })),
      ...(await watching(place, { browser, web })),
      ...(await enduring(place, { browser, web })),
    ];
  } finally {
    await browser.close();
    await web.end();
  }
}

/** The size of everything the page can load, compressed as the server compresses it. */
async function weighing(bench, { origin, cookie }) {
  const folder = join(bench.program, "..", "web");
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const all = files.map(({ parentPath, name }) => join(parentPath, name).slice(folder.length));
  // The documentation is a site beside the page.
  const paths = all.filter((path) => !path.startsWith("/docs/"));
  const sizes = [];
  // One after the other: the server limits the connections of a client.
  for (const path of paths) {
    const target = path === "/index.html" ? "/" : path;
    const answer = await fetch(origin + target, { headers: { cookie, "accept-encoding": "br" } });
    if (!answer.ok) throw new Error(`${target}: ${answer.status}`);
    await answer.arrayBuffer();
    sizes.push(Number(answer.headers.get("content-length")));
  }
  const total = sizes.reduce((sum, size) => sum + size, 0) / 1000;
  return [row({ what: "the whole page, compressed", unit: "kB", values: [total], goal: atMost(230, "kB") })];
}

/** From the address to the end of the transcript on the screen, in a browser without a test library. */
async function opening(bench, { web, long }) {
  const browser = await launchBareBrowser(bench.emptyFolder());
  try {
    const first = await browser.openPage();
    await first.goto(web.url);
    await first.evaluate(waitForList);
    await first.close();
    const inBrowser = async () => {
      const page = await browser.openPage();
      await page.beforeEach(hearCaughtUp);
      const [started, cpu] = [performance.now(), [cpuMs(web.pid), await browser.cpuMs()]];
      await page.goto(`${web.origin}/#/s/${long.session}/transcript`);
      await page.evaluate(waitForWords, long.lastWords);
      const time = performance.now() - started;
      const [server, own] = [cpuMs(web.pid) - cpu[0], (await browser.cpuMs()) - cpu[1]];
      await page.close();
      return { time, server, browser: own };
    };
    const streamed = async () => {
      const started = performance.now();
      await readStream(web, `?session=${long.session}`, (text) => text.includes("event: caught-up"));
      return performance.now() - started;
    };
    const seen = await interleave({ streamed, inBrowser }, { rounds: openings, seconds: 60 });
    const what = "open a session of 100,000 events";
    const of = (name) => seen.inBrowser.map((it) => it[name]);
    const whole = { values: of("time"), bare: seen.streamed, against: "read the stream", goal: atMost(1200, "ms") };
    return [
      row({ what, ...whole }),
      row({ what: `${what}, CPU of the server`, values: of("server") }),
      row({ what: `${what}, CPU of the browser`, values: of("browser") }),
    ];
  } finally {
    await browser.close();
  }
}

/** In the page: waits until the list of sessions is shown. */
const waitForList = () =>
  new Promise((resolve) => {
    const look = () => (document.querySelector("main a[href^='#/s/']") ? resolve() : requestAnimationFrame(look));
    look();
  });

/** In the page. Words like the last ones are all over the transcript: they count only when everything is loaded. */
const waitForWords = (words) =>
  new Promise((resolve) => {
    const isShown = () => globalThis.isCaughtUp && document.querySelector("main")?.textContent?.includes(words);
    const look = () => (isShown() ? resolve() : requestAnimationFrame(look));
    look();
  });

/** From the time of an event to the frame that shows it, with ten agents speaking at once. */
async function watching(place, { browser, web }) {
  const speaking = await startSpeaking(place, web, { eventsPerSecond: 50 });
  const page = await openPage(browser, web);
  try {
    await page.addInitScript(probe);
    const [agent] = speaking.agents;
    await page.goto(`${web.origin}/#/s/${speaking.session}/transcript/${agent}`);
    await page.waitForFunction(() => globalThis.probe?.waits.length > 50, undefined, { timeout: 60_000 });
    await page.evaluate(() => globalThis.probe.waits.splice(0));
    await pause(watchSeconds * 1000);
    const { waits, frames } = await page.evaluate(() => ({
      waits: globalThis.probe.waits,
      frames: globalThis.probe.frames,
    }));
    const bare = await page.evaluate(measureFrames);
    const what = `${agents} agents × 50 events/s: from an event to its pixels`;
    return [
      row({ what, values: waits, bare, against: "one frame of an empty page's clock" }),
      row({ what: `${what}, 95th percentile`, values: [quantile(waits, 0.95)], goal: atMost(100, "ms") }),
      row({ what: "frames that showed something new", unit: "/s", values: [frames / watchSeconds] }),
    ];
  } finally {
    await page.context().close();
    await speaking.end();
  }
}

/**
 * A minute of a thousand events a second (twice as many are requested, since each comes late). The memory of the server
 * and the page must not grow.
 */
async function enduring(place, { browser, web }) {
  const speaking = await startSpeaking(place, web, { eventsPerSecond: 220 });
  const page = await openPage(browser, web);
  try {
    await page.addInitScript(probe);
    await page.goto(`${web.origin}/#/s/${speaking.session}/team`);
    await page.waitForFunction(() => globalThis.probe?.events > 5000, undefined, { timeout: 60_000 });
    const held = async () => {
      const heap = (await metricsOf(page)).JSHeapUsedSize / 1e6;
      return { heap, server: residentMb(web.pid), events: await page.evaluate(() => globalThis.probe.events) };
    };
    const before = await held();
    const began = performance.now();
    await pause(loadSeconds * 1000);
    const after = await held();
    const seconds = (performance.now() - began) / 1000;
    const rate = (after.events - before.events) / seconds;
    return [
      row({ what: "events a second that reached the page", unit: "/s", values: [rate], goal: atLeast(1000, "/s") }),
      row({
        what: `after ${loadSeconds} s of that: the page's heap`,
        unit: "MB",
        values: [after.heap],
        bare: [before.heap],
        against: "at first",
        goal: { text: "≤ +10 MB", reached: (value, base) => value - base <= 10 },
      }),
      row({
        what: "and the server's memory",
        unit: "MB",
        values: [after.server],
        bare: [before.server],
        against: "at first",
        goal: { text: "≤ +20 MB", reached: (value, base) => value - base <= 20 },
      }),
    ];
  } finally {
    await page.context().close();
    await speaking.end();
  }
}

/**
 * Runs in the page before its own scripts. Each event of an agent's speech is a numbered word: records when the word
 * was created, and looks for it after every frame.
 */
function probe() {
  const made = new Map();
  const probe = { waits: [], frames: 0, events: 0 };
  globalThis.probe = probe;
  const Shared = globalThis.SharedWorker;
  globalThis.SharedWorker = class extends Shared {
    constructor(...words) {
      super(...words);
      this.port.addEventListener("message", ({ data: { type, data } }) => {
        if (type !== "envelopes") return;
        for (const { at, event } of JSON.parse(data)) {
          probe.events += 1;
          if (event.type !== "text.delta") continue;
          for (const word of event.text.match(/\d{7}/g) ?? []) made.set(word, Date.parse(at));
        }
      });
    }
  };
  let last = "";
  const look = () => {
    // After this frame has been drawn.
    setTimeout(() => {
      const now = Date.now();
      const word = document.querySelector(".transcript")?.textContent?.match(/\d{7}(?!.*\d{7})/s)?.[0] ?? "";
      if (word > last) {
        probe.frames += 1;
        for (const [seen, at] of made) {
          if (seen > last && seen <= word && last !== "") probe.waits.push(now - at);
          if (seen <= word) made.delete(seen);
        }
        last = word;
      }
    }, 0);
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

/** In the page: sets `isCaughtUp` two frames after the server has sent everything. */
function hearCaughtUp() {
  const setSoon = () => requestAnimationFrame(() => requestAnimationFrame(() => (globalThis.isCaughtUp = true)));
  // All tabs share one stream, so its messages come from a worker.
  const Shared = globalThis.SharedWorker;
  globalThis.SharedWorker = class extends Shared {
    constructor(...words) {
      super(...words);
      this.port.addEventListener("message", ({ data }) => data?.type === "caught-up" && setSoon());
    }
  };
}

async function measureFrames() {
  const waits = [];
  for (let count = 0; count < 60; count++) {
    const asked = performance.now();
    await new Promise((resolve) => requestAnimationFrame(resolve));
    waits.push(performance.now() - asked);
  }
  return waits;
}

async function startWeb({ bench, env, cwd }) {
  const child = spawn(process.execPath, [bench.program, "web", "--no-open", "--json", "--port", "0"], { cwd, env });
  const ended = new Promise((resolve) => child.on("close", resolve));
  const line = await firstLine(child);
  const { url } = JSON.parse(line);
  const answer = await fetch(url, { redirect: "manual" });
  const [cookie] = answer.headers.get("set-cookie").split(";");
  const end = async () => {
    child.kill("SIGTERM");
    await ended;
  };
  return { url, cookie, origin: new URL(url).origin, pid: child.pid, end };
}

/** A headless run whose ten agents say numbered words, one for each event. */
async function startSpeaking({ bench, env, cwd }, web, { eventsPerSecond }) {
  const script = join(bench.emptyFolder(), "script.mjs");
  writeFileSync(script, speakingScript({ agents, speech: speechOf(eventsPerSecond) }));
  const words = [bench.program, "-p", `speak ${eventsPerSecond}`, "--model", `scripted/${script}`];
  const child = spawn(process.execPath, [...words, "--permission-mode", "bypassPermissions"], {
    cwd,
    env,
    stdio: "ignore",
  });
  const ended = new Promise((resolve) => child.on("close", resolve));
  const prompt = `"firstPrompt":"speak ${eventsPerSecond}"`;
  const listed = await readStream(web, "", (text) => text.includes(prompt));
  const before = listed.slice(0, listed.lastIndexOf(prompt));
  const id = before.slice(before.lastIndexOf("ses_")).match(/^\w+/)[0];
  const spoken = await readStream(web, `?session=${id}`, (text) => agentsIn(text).size === agents);
  return {
    session: id,
    agents: [...agentsIn(spoken)],
    async end() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

const agentsIn = (text) =>
  new Set(
    [...text.matchAll(/"agent":"(agt_\w+)","seq":\d+,"at":"[^"]+","event":\{"type":"text\.delta"/g)].map(
      ([, id]) => id,
    ),
  );

/** Numbered words, so that each can be found on the screen. */
const speechOf = (eventsPerSecond) => `
const speech = (turn) => Array.from({ length: 500 }, (_, at) => String(turn * 1000 + at).padStart(7, "0")).join(" ") + " ";
const speak = (turn) => ({ text: speech(turn), chunk: 8, chunkDelayMs: ${1000 / eventsPerSecond}, calls: [{ tool: "Glob", input: { pattern: "*.none-" + turn } }] });
`;

async function writeLongSession(bench, { home, cwd }) {
  const platform = await bench.inside("platform");
  const createId = platform.createIdFactory(platform.systemClock);
  const session = createId("ses");
  const path = join(home, "projects", platform.projectName(cwd), `${session}.jsonl`);
  writeLog(path, { ...platform, createId, session, cwd });
  const turns = readFileSync(path, "utf8").match(/Next I look at part \d+/g);
  return { session, lastWords: turns.at(-1) };
}

/** An empty page in a browser that the dashboard accepts. */
async function openPage(browser, { cookie, origin }) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const [name, value] = cookie.split("=");
  await context.addCookies([{ name, value, url: origin, httpOnly: true, sameSite: "Strict" }]);
  return context.newPage();
}

/** Reads until the expected text was seen; keeps only the end. */
async function readStream({ origin, cookie }, query, isEnough) {
  const leaving = new AbortController();
  const answer = await fetch(`${origin}/api/events${query}`, { headers: { cookie }, signal: leaving.signal });
  let tail = "";
  for await (const chunk of answer.body) {
    tail = tail.slice(-100_000) + Buffer.from(chunk).toString();
    if (tail.endsWith("\n\n") && isEnough(tail)) break;
  }
  leaving.abort();
  return tail;
}

function firstLine(child) {
  return new Promise((resolve, reject) => {
    let text = "";
    child.stdout.on("data", (chunk) => {
      text += chunk;
      if (text.includes("\n")) resolve(text);
    });
    child.on("close", () => reject(new Error("troupe web has ended")));
  });
}

/** The browser's own metrics of the page, after garbage collection. */
async function metricsOf(page) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Performance.enable");
  await devtools.send("HeapProfiler.collectGarbage");
  const { metrics } = await devtools.send("Performance.getMetrics");
  await devtools.detach();
  return Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
}

/** CPU time of the process so far; the system counts in hundredths of a second. */
function cpuMs(pid) {
  const [, fields] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
  const [user, system] = fields.split(" ").slice(11, 13);
  return (Number(user) + Number(system)) * 10;
}

function residentMb(pid) {
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(kilobytes) / 1000;
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
