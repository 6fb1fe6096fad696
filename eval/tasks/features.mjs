// Tasks that add something new to a small library.

const kind = "feature";

export const features = [
  {
    name: "iso-durations",
    kind,
    prompt:
      'Let parseDuration() in src/duration.js also accept ISO 8601 durations such as "PT1H30M", "P2DT3H" and "PT0.5S", with weeks ("P1W"). Months and years are refused with a RangeError that says why. Existing behaviour stays. Add tests.',
    files: {
      "src/duration.js": `const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of a text such as "5m". */
export function parseDuration(text) {
  const found = /^(\\d+(?:\\.\\d+)?)(ms|s|m|h|d)$/.exec(text);
  if (!found) throw new RangeError(\`not a duration: \${text}\`);
  return Number(found[1]) * units[found[2]];
}
`,
      "test/duration.test.js": `import assert from "node:assert/strict";
import { test } from "node:test";
import { parseDuration } from "../src/duration.js";

test("short form", () => assert.equal(parseDuration("5m"), 300_000));
`,
    },
    hidden: `import { parseDuration } from "../src/duration.js";
for (const [text, ms] of [["PT1H30M", 5_400_000], ["P2DT3H", 183_600_000], ["PT0.5S", 500], ["P1W", 604_800_000], ["PT45S", 45_000], ["5m", 300_000], ["1.5h", 5_400_000]])
  test(text, () => assert.equal(parseDuration(text), ms));
for (const text of ["P1M", "P1Y", "P", "PT", "P1DT", "5", "PT1X", "", "1H"]) test(\`refuses \${text}\`, () => assert.throws(() => parseDuration(text), RangeError));
test("says why months are refused", () => assert.throws(() => parseDuration("P3M"), /month/i));
`,
    solution: {
      "src/duration.js": `const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of a text such as "5m" or "PT1H30M". */
export function parseDuration(text) {
  const found = /^(\\d+(?:\\.\\d+)?)(ms|s|m|h|d)$/.exec(text);
  if (found) return Number(found[1]) * units[found[2]];
  return parseIso(text);
}

const number = "(\\\\d+(?:\\\\.\\\\d+)?)";
const iso = new RegExp(\`^P(?:\${number}Y)?(?:\${number}M)?(?:\${number}W)?(?:\${number}D)?(T(?:\${number}H)?(?:\${number}M)?(?:\${number}S)?)?$\`);

function parseIso(text) {
  const found = iso.exec(text);
  if (!found || text.endsWith("T") || text === "P") throw new RangeError(\`not a duration: \${text}\`);
  const [, years, months, weeks, days, , hours, minutes, seconds] = found;
  if (years !== undefined || months !== undefined)
    throw new RangeError(\`\${text} has months or years, which have no fixed length\`);
  const part = (value, unit) => Number(value ?? 0) * unit;
  return part(weeks, 7 * units.d) + part(days, units.d) + part(hours, units.h) + part(minutes, units.m) + part(seconds, units.s);
}
`,
    },
  },
  {
    name: "lru-cache",
    kind,
    prompt:
      "Add an optional limit to the cache in src/cache.js: createCache({ max }). When it is full, the entry that was used least recently goes; reading counts as use. Also add size and delete(key). Without max nothing changes. Add tests.",
    files: {
      "src/cache.js": `/** Remembers values by key. */
export function createCache() {
  const values = new Map();
  return {
    get: (key) => values.get(key),
    set: (key, value) => void values.set(key, value),
  };
}
`,
      "test/cache.test.js": `import assert from "node:assert/strict";
import { test } from "node:test";
import { createCache } from "../src/cache.js";

test("remembers", () => {
  const cache = createCache();
  cache.set("a", 1);
  assert.equal(cache.get("a"), 1);
});
`,
    },
    hidden: `import { createCache } from "../src/cache.js";
test("the least recently used entry goes", () => {
  const cache = createCache({ max: 2 });
  cache.set("a", 1);
  cache.set("b", 2);
  cache.get("a");
  cache.set("c", 3);
  assert.deepEqual(["a", "b", "c"].map((key) => cache.get(key)), [1, undefined, 3]);
  assert.equal(cache.size, 2);
});
test("writing again counts as use and does not grow", () => {
  const cache = createCache({ max: 2 });
  cache.set("a", 1);
  cache.set("b", 2);
  cache.set("a", 9);
  cache.set("c", 3);
  assert.deepEqual(["a", "b"].map((key) => cache.get(key)), [9, undefined]);
});
test("undefined is a value", () => {
  const cache = createCache({ max: 1 });
  cache.set("a", undefined);
  assert.equal(cache.size, 1);
  cache.delete("a");
  assert.equal(cache.size, 0);
});
test("without a limit everything stays", () => {
  const cache = createCache();
  for (let i = 0; i < 1000; i++) cache.set(i, i);
  assert.equal(cache.size, 1000);
});
`,
    solution: {
      "src/cache.js": `/** Remembers values by key, at most \`max\`. The least recently used one goes first. */
export function createCache({ max = Number.POSITIVE_INFINITY } = {}) {
  const values = new Map();
  const touch = (key, value) => {
    values.delete(key);
    values.set(key, value);
  };
  return {
    get(key) {
      if (values.has(key)) touch(key, values.get(key));
      return values.get(key);
    },
    set(key, value) {
      touch(key, value);
      if (values.size > max) values.delete(values.keys().next().value);
    },
    delete: (key) => values.delete(key),
    get size() {
      return values.size;
    },
  };
}
`,
    },
  },
  {
    name: "cli-flags",
    kind,
    prompt:
      'The program bin/count.js counts words of a file. Add --lines and --json, a usage text for --help, and clear errors: an unknown flag and a missing file print one line to standard error and exit with 2. Both flags together give {"lines":n,"words":n}. Document them in README.md.',
    files: {
      "README.md": "# count\n\nCounts the words of a file: `node bin/count.js FILE`\n",
      "bin/count.js": `import { readFileSync } from "node:fs";

const text = readFileSync(process.argv[2], "utf8");
console.log(text.split(/\\s+/).filter(Boolean).length);
`,
    },
    hidden: `import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
writeFileSync("sample.txt", "one two\\nthree\\n");
const run = (...args) => spawnSync(process.execPath, ["bin/count.js", ...args], { encoding: "utf8" });
test("words", () => assert.equal(run("sample.txt").stdout.trim(), "3"));
test("lines", () => assert.equal(run("--lines", "sample.txt").stdout.trim(), "2"));
test("json", () => assert.deepEqual(JSON.parse(run("--json", "--lines", "sample.txt").stdout), { lines: 2, words: 3 }));
test("help", () => {
  const { stdout, status } = run("--help");
  assert.equal(status, 0);
  assert.match(stdout, /--json/);
});
for (const args of [["--nope", "sample.txt"], ["missing.txt"], []])
  test(\`error: \${args.join(" ")}\`, () => {
    const { status, stderr } = run(...args);
    assert.equal(status, 2);
    assert.equal(stderr.trim().split("\\n").length, 1);
    assert.doesNotMatch(stderr, /at .*node:/);
  });
test("documented", () => assert.match(readFileSync("README.md", "utf8"), /--lines[\\s\\S]*--json|--json[\\s\\S]*--lines/));
`,
    solution: {
      "README.md":
        "# count\n\nCounts the words of a file: `node bin/count.js [--lines] [--json] FILE`\n\n- `--lines` counts lines\n- `--json` prints JSON\n",
      "bin/count.js": `import { readFileSync } from "node:fs";

const usage = "Usage: count [--lines] [--json] FILE";
const flags = process.argv.slice(2).filter((arg) => arg.startsWith("--"));
const [file] = process.argv.slice(2).filter((arg) => !arg.startsWith("--"));
const fail = (message) => {
  console.error(message);
  process.exit(2);
};
if (flags.includes("--help")) {
  console.log(usage);
  process.exit(0);
}
const unknown = flags.find((flag) => !["--lines", "--json"].includes(flag));
if (unknown) fail(\`unknown flag \${unknown}. \${usage}\`);
if (file === undefined) fail(usage);
let text = "";
try {
  text = readFileSync(file, "utf8");
} catch (error) {
  fail(\`cannot read \${file}: \${error.code}\`);
}
const words = text.split(/\\s+/).filter(Boolean).length;
const lines = text === "" ? 0 : text.replace(/\\n$/, "").split("\\n").length;
if (flags.includes("--json")) console.log(JSON.stringify(flags.includes("--lines") ? { lines, words } : { words }));
else console.log(flags.includes("--lines") ? lines : words);
`,
    },
  },
  {
    name: "event-wildcards",
    kind,
    prompt:
      'Add wildcards to the emitter in src/emitter.js: on("user.*", f) hears "user.added" but not "user.name.changed"; on("**", f) hears everything. on() returns a function that stops listening. once() takes wildcards too. A listener that throws must not keep the others from hearing; the error is rethrown after all were called.',
    files: {
      "src/emitter.js": `export function createEmitter() {
  const listeners = new Map();
  return {
    on(event, listener) {
      listeners.set(event, [...(listeners.get(event) ?? []), listener]);
    },
    once(event, listener) {
      const wrapped = (value) => {
        listeners.set(event, listeners.get(event).filter((each) => each !== wrapped));
        listener(value);
      };
      this.on(event, wrapped);
    },
    emit(event, value) {
      for (const listener of listeners.get(event) ?? []) listener(value);
    },
  };
}
`,
    },
    hidden: `import { createEmitter } from "../src/emitter.js";
const heard = () => {
  const list = [];
  return Object.assign((value) => list.push(value), { list });
};
test("one part", () => {
  const emitter = createEmitter();
  const f = heard();
  emitter.on("user.*", f);
  emitter.emit("user.added", 1);
  emitter.emit("user.name.changed", 2);
  emitter.emit("user", 3);
  emitter.emit("xuser.added", 4);
  assert.deepEqual(f.list, [1]);
});
test("everything", () => {
  const emitter = createEmitter();
  const f = heard();
  emitter.on("**", f);
  emitter.emit("a", 1);
  emitter.emit("a.b.c", 2);
  assert.deepEqual(f.list, [1, 2]);
});
test("stops", () => {
  const emitter = createEmitter();
  const f = heard();
  const stop = emitter.on("a", f);
  stop();
  emitter.emit("a", 1);
  assert.deepEqual(f.list, []);
});
test("once with a wildcard", () => {
  const emitter = createEmitter();
  const f = heard();
  emitter.once("a.*", f);
  emitter.emit("a.b", 1);
  emitter.emit("a.c", 2);
  assert.deepEqual(f.list, [1]);
});
test("a listener that throws", () => {
  const emitter = createEmitter();
  const f = heard();
  emitter.on("a", () => {
    throw new Error("broken");
  });
  emitter.on("a", f);
  assert.throws(() => emitter.emit("a", 1), /broken/);
  assert.deepEqual(f.list, [1]);
});
`,
    solution: {
      "src/emitter.js": `const matcher = (pattern) => {
  if (pattern === "**") return () => true;
  const parts = pattern.split(".");
  return (event) => {
    const given = event.split(".");
    return given.length === parts.length && parts.every((part, index) => part === "*" || part === given[index]);
  };
};

export function createEmitter() {
  let listeners = [];
  return {
    on(pattern, listener) {
      const entry = { matches: matcher(pattern), listener };
      listeners = [...listeners, entry];
      return () => {
        listeners = listeners.filter((each) => each !== entry);
      };
    },
    once(pattern, listener) {
      const stop = this.on(pattern, (value) => {
        stop();
        listener(value);
      });
      return stop;
    },
    emit(event, value) {
      const errors = [];
      for (const { matches, listener } of listeners.filter((each) => each.matches(event))) {
        try {
          listener(value);
        } catch (error) {
          errors.push(error);
        }
      }
      if (errors.length > 0) throw errors[0];
    },
  };
}
`,
    },
  },
  {
    name: "json-lines-export",
    kind,
    prompt:
      "Add src/export.js with exportLines(records, write): it writes each record as one line of JSON through the async function write, in order, waits for each write, replaces Dates by ISO texts, refuses records with cycles (RangeError that names the index) before anything is written, and resolves to the number of lines. Add importLines(text), which skips blank lines and names the line number of a line that is not JSON.",
    files: { "src/index.js": "export {};\n" },
    hidden: `import { exportLines, importLines } from "../src/export.js";
test("writes in order and waits", async () => {
  const lines = [];
  let busy = false;
  const count = await exportLines([{ a: 1 }, { at: new Date(0) }], async (line) => {
    assert.equal(busy, false);
    busy = true;
    await new Promise((resolve) => setImmediate(resolve));
    busy = false;
    lines.push(line);
  });
  assert.equal(count, 2);
  assert.deepEqual(lines, ['{"a":1}\\n', '{"at":"1970-01-01T00:00:00.000Z"}\\n']);
});
test("a cycle is refused before anything is written", async () => {
  const bad = {};
  bad.self = bad;
  const lines = [];
  await assert.rejects(exportLines([{}, bad], async (line) => lines.push(line)), (error) => error instanceof RangeError && /1/.test(error.message));
  assert.deepEqual(lines, []);
});
test("reads back", () => assert.deepEqual(importLines('{"a":1}\\n\\n[2]\\n'), [{ a: 1 }, [2]]));
test("names the line", () => assert.throws(() => importLines('{}\\n\\noops'), /3/));
`,
    solution: {
      "src/export.js": `export async function exportLines(records, write) {
  const lines = [...records].map((record, index) => {
    try {
      return \`\${JSON.stringify(record)}\\n\`;
    } catch (error) {
      throw new RangeError(\`record \${index} cannot be written: \${error.message}\`);
    }
  });
  for (const line of lines) await write(line);
  return lines.length;
}

export function importLines(text) {
  return text.split("\\n").flatMap((line, index) => {
    if (line.trim() === "") return [];
    try {
      return [JSON.parse(line)];
    } catch {
      throw new SyntaxError(\`line \${index + 1} is not JSON\`);
    }
  });
}
`,
    },
  },
];
