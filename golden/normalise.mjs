// Replaces everything that differs between two runs of one build: ids, times, durations, processes, ports, paths.
import { dirname } from "node:path";

const id = /(?<![0-9a-zA-Z])([a-z]{2,5})\\*_([0-9a-z]{26,})(?![0-9a-z])/g;
const called = /toolu_[0-9a-z]+_\d+|call_[0-9a-z]{6,12}_\d+/g;
const commit = /(?<![0-9a-zA-Z])[0-9a-f]{7,40}(?![0-9a-zA-Z])/g;
const tail = /(?<=-)([0-9a-z]{8}|[0-9a-z]{6}|[0-9a-z]{4})(?![0-9a-z])/g;

/** Fields that depend on time or on the process, with their replacements. */
const fields = {
  durationMs: "<ms>",
  duration_ms: "<ms>",
  pid: "<pid>",
  startedAt: "<start>",
  bootId: "<boot>",
  machineId: "<machine>",
  host: "<host>",
  pidNamespace: "<namespace>",
  beat: "<beat>",
  sum: "<sum>",
  signature: "<signature>",
  sig: "<signature>",
  crc: "<crc>",
  delayMs: "<ms>",
};

export function normalise(value, { root, program }) {
  const raw = JSON.stringify(value);
  const tails = new Map();
  for (const [whole, kind, rest] of raw.matchAll(id)) {
    if (kind !== "agt" && kind !== "mem") continue;
    tails.set(rest.slice(-8), whole);
    tails.set(rest.slice(-6), whole);
    tails.set(rest.slice(-4), whole);
  }
  const commits = [...new Set(raw.match(/(?<![0-9a-zA-Z])[0-9a-f]{40}(?![0-9a-zA-Z])/g))];
  const wholeCommit = (short) => commits.find((one) => one.startsWith(short));
  const places = [
    [root, "<root>"],
    [dirname(dirname(program)), "<package>"],
    [process.execPath, "<node>"],
  ];
  const plain = (text) => {
    let out = text;
    for (const [place, name] of places) out = out.replaceAll(place, name);
    return out
      .replaceAll(/(?:\.\.\/)+[\w./-]*(?=\/dist\/troupe\.cjs)/g, "<package>")
      .replaceAll(/[\w.-]+~[0-9a-z]{16}(?![0-9a-z])/g, "<project>")
      .replaceAll(/(troupe-[a-z-]+-)[0-9A-Za-z]{6}(?![0-9A-Za-z])/g, "$1<temp>")
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "<time>")
      .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d/g, "<minute>")
      .replaceAll(/(?<!\d)\d\d:\d\d:\d\d(?!\d)/g, "<clock>")
      .replaceAll(/(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/g, "<hash>")
      .replaceAll(/(?<=-bash-)[0-9a-f]{8}/g, "<hash>")
      .replaceAll(/(Date: |date is )\d{4}-\d\d-\d\d/g, "$1<date>")
      .replaceAll(/(127\.0\.0\.1|localhost):\d{4,5}/g, "$1:<port>")
      .replaceAll(
        /(?<=duration: |\d turns?, |tool calls? \([^()]*\), |for it, |\(exit \d+, |nats-server [\d.]+ {2})[\d.]+ (ms|s|min)/g,
        "<duration>",
      )
      .replaceAll(/\bpid \d+/g, "pid <pid>");
  };
  const numbers = createNumbers();
  const named = (text) =>
    text
      .replaceAll(id, (whole, kind) => numbers(kind, whole))
      .replaceAll(called, (whole) => numbers("call", whole))
      .replaceAll(commit, (whole) => (wholeCommit(whole) ? numbers("commit", wholeCommit(whole)) : whole))
      .replaceAll(tail, (whole) => (tails.has(whole) ? numbers("agt", tails.get(whole)) : whole));
  const masked = (text) =>
    text
      .replaceAll(id, "<$1>")
      .replaceAll(called, "<call>")
      .replaceAll(commit, (whole) => (wholeCommit(whole) ? "<commit>" : whole))
      .replaceAll(tail, (whole) => (tails.has(whole) ? "<agt>" : whole));
  const cleaned = mapStrings(value, plain);
  return mapStrings(sorted(cleaned, masked), named);
}

function createNumbers() {
  const known = new Map();
  const counts = new Map();
  return (kind, whole) => {
    if (kind === "evt") return "<evt>";
    if (!known.has(whole)) {
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
      known.set(whole, `<${kind} ${counts.get(kind)}>`);
    }
    return known.get(whole);
  };
}

/** Sorts agents, files and actors by their content without ids. */
function sorted(value, masked) {
  const key = (entry) => masked(JSON.stringify(entry));
  const byKey = (list) =>
    list
      .map((entry) => [key(entry), entry])
      .toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
      .map(([, entry]) => entry);
  const out = { ...value };
  for (const name of ["stream", "home", "requests"]) if (out[name]) out[name] = byKey(out[name]);
  if (out.project) out.project = { ...out.project, files: byKey(out.project.files) };
  for (const name of ["branches", "worktrees"]) if (out.project?.[name]) out.project[name] = byKey(out.project[name]);
  return out;
}

export function mapStrings(value, change, key = "") {
  if (key in fields && value !== null && typeof value !== "object") return fields[key];
  if (typeof value === "string") return change(value);
  if (typeof value === "number") return Number.isInteger(value) && value > 1_500_000_000_000 ? "<epoch>" : value;
  if (Array.isArray(value)) return value.map((entry) => mapStrings(entry, change));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => [change(name), mapStrings(entry, change, name)]),
  );
}
