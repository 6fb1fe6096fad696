// Collects the results of a session in one value: output, events per agent, files of the home, request bodies.
import { execFileSync } from "node:child_process";
import { existsSync, lstatSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { actorOf } from "./stage.mjs";

export function collect(stage, session) {
  return {
    runs: stage.runs.map(runOf),
    stream: streamOf(stage.envelopes),
    home: filesOf(join(stage.env.TROUPE_HOME)),
    project: projectOf(stage),
    ...(stage.server && { requests: requestsOf(stage.server.requests, session.mark) }),
  };
}

/** Sorts texts the same way on every machine. */
export const inOrder = (texts) => [...texts].toSorted((a, b) => (a < b ? -1 : Number(a > b)));

const isEnvelope = (line) => line.startsWith('{"v":');

function runOf({ args, exit, stdout, stderr }) {
  const lines = (text) => text.split("\n").filter((line) => line !== "" && !isEnvelope(line));
  return { args, exit, stdout: lines(stdout).map(parsed), stderr: lines(stderr) };
}

function parsed(line) {
  if (!line.startsWith("{")) return line;
  try {
    return JSON.parse(line);
  } catch {
    return line;
  }
}

/** Text that arrives in pieces. Timing decides where a piece ends, so pieces are joined. */
const pieces = {
  "text.delta": "text",
  "thinking.delta": "text",
  "tool.drafted": "inputJson",
  "tool.progress": "text",
  "background.output": "text",
};
/** Events that arrive independently of the agent's own steps. Each subject gets its own list. */
const beside = {
  "member.changed": (event) => event.name,
  "task.changed": (event) => `task ${event.task?.id}`,
  "background.output": (event) => event.backgroundId,
  "tool.progress": (event) => event.callId,
  "mcp.changed": (event) => event.server,
  "mail.sent": (event) => (event.kind === "text" ? undefined : `${event.kind} to ${event.to}`),
};

/** Sampled states. Only the last one is certain. */
const sampled = /^(member|task)\.changed /;

/** One ordered list per agent. */
export function streamOf(envelopes) {
  const paths = new Map();
  const agents = new Map();
  for (const envelope of envelopes) {
    if (envelope.event.type === "agent.spawned") paths.set(envelope.agent, envelope.event.path);
    if (!agents.has(envelope.agent)) agents.set(envelope.agent, []);
    agents.get(envelope.agent).push(envelope);
  }
  return [...agents].flatMap(([agent, list]) =>
    inLists(list).map((one) => ({ agent: paths.get(agent) ?? agent, ...one })),
  );
}

/** Splits the events of one agent into lists. Sequence numbers are checked for gaps and then left out. */
function inLists(envelopes) {
  const lists = new Map();
  for (const { seq: _, ...envelope } of structuredClone(envelopes)) {
    const { type } = envelope.event;
    const about = beside[type]?.(envelope.event);
    const key = about === undefined ? "" : `${type} ${about}`;
    if (!lists.has(key)) lists.set(key, []);
    const list = lists.get(key);
    if (!joined(list.at(-1), envelope)) list.push(envelope);
  }
  for (const [key, list] of lists) if (sampled.test(key)) lists.set(key, list.slice(-1));
  const numbers = envelopes.map(({ seq }) => seq);
  const steady = numbers.every(
    (seq, index) => index === 0 || seq - numbers[index - 1] === 1 || seq === numbers[index - 1],
  );
  return [...lists].map(([about, events]) => (about === "" ? { numbered: steady, events } : { about, events }));
}

function joined(last, { event }) {
  const field = pieces[event.type];
  if (field === undefined || last?.event.type !== event.type) return false;
  const same = (key) => last.event[key] === event[key];
  if (!["turn", "callId", "name"].every(same)) return false;
  last.event[field] += event[field];
  return true;
}

/** Every file below a folder, as records, JSON or lines. */
export function filesOf(folder, skip = () => false) {
  if (!existsSync(folder)) return [];
  const found = inOrder(readdirSync(folder, { recursive: true }).map(String));
  return found.flatMap((path) => {
    const file = join(folder, path);
    if (/^cache(\/|$)/.test(path) || skip(path) || !lstatSync(file).isFile()) return [];
    return [{ path, content: contentOf(file) }];
  });
}

function contentOf(file) {
  if (/(^|\/)(keys|token|.*secret.*|.*\.key)(\/|$)/.test(file)) return "<secret>";
  const text = readFileSync(file, "utf8");
  if (file.endsWith(".jsonl")) {
    const records = text.split("\n").filter(Boolean).map(parsed);
    if (records.every((record) => record.event && "seq" in record)) return inLists(records);
    return arranged(basename(file), records);
  }
  return file.endsWith(".json") ? parsed(text) : text.split("\n");
}

/** Reorders line files with several writers: their content is certain, their order is not. */
function arranged(name, records) {
  if (name === "places.jsonl") return inOrder(new Set(records.map(({ do: act, member = "" }) => `${act} ${member}`)));
  const marks = records.filter(({ mark }) => mark !== undefined);
  if (marks.length === 0) return records;
  const kinds = inOrder(new Set(marks.map(({ mark }) => mark)));
  const idsOf = (kind) => marks.flatMap(({ mark, ids }) => (mark === kind ? ids : []));
  return [...records.filter(({ mark }) => mark === undefined), ...kinds.map((mark) => ({ mark, ids: idsOf(mark) }))];
}

function projectOf({ cwd, env }) {
  const inGit = (path) => /^\.git(\/|$)/.test(path);
  const files = filesOf(cwd, inGit);
  if (!existsSync(join(cwd, ".git"))) return { files };
  const git = (...args) => execFileSync("git", args, { cwd, env, encoding: "utf8" }).split("\n").filter(Boolean);
  return {
    files,
    commits: git("log", "--all", "--format=%H"),
    log: git("log", "--format=%an: %s", "--stat"),
    branches: git("for-each-ref", "--format=%(refname)").filter((name) => name !== ""),
    worktrees: git("worktree", "list").map((line) => basename(line.split(" ")[0])),
  };
}

const headers = ["user-agent", "anthropic-version", "anthropic-beta", "content-type"];

function requestsOf(requests, mark) {
  const byActor = new Map();
  for (const { method, path, body, headers: given, status, end } of requests) {
    const actor = actorOf(wireMessages(body), mark);
    if (!byActor.has(actor)) byActor.set(actor, []);
    const sent = Object.fromEntries(headers.flatMap((name) => (given[name] ? [[name, given[name]]] : [])));
    byActor.get(actor).push({ method, path, headers: sent, status, end, body });
  }
  return [...byActor].map(([actor, list]) => ({ actor, list }));
}

/** The messages of a request body of either protocol. */
function wireMessages(body) {
  return (body?.messages ?? []).map(({ role, content }) => ({
    role,
    parts: typeof content === "string" ? [{ type: "text", text: content }] : (content ?? []),
  }));
}
