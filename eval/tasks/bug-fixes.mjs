// Tasks with a planted bug. The hidden tests cover the bug and the behaviour around it.

const kind = "bug fix";

export const bugFixes = [
  {
    name: "off-by-one-pages",
    kind,
    prompt:
      "paginate() in src/paginate.js sometimes loses the last page. Find the cause, fix it, and add a test for it to test/paginate.test.js.",
    files: {
      "src/paginate.js": `/** Splits a list into pages. */
export function paginate(list, size) {
  if (size < 1) throw new RangeError("size must be at least 1");
  const pages = [];
  for (let page = 0; page < Math.floor(list.length / size); page++) pages.push(list.slice(page * size, (page + 1) * size));
  return pages;
}
`,
      "test/paginate.test.js": `import assert from "node:assert/strict";
import { test } from "node:test";
import { paginate } from "../src/paginate.js";

test("full pages", () => assert.deepEqual(paginate([1, 2, 3, 4], 2), [[1, 2], [3, 4]]));
`,
    },
    hidden: `import { paginate } from "../src/paginate.js";
test("a last page that is not full", () => assert.deepEqual(paginate([1, 2, 3], 2), [[1, 2], [3]]));
test("full pages", () => assert.deepEqual(paginate([1, 2], 1), [[1], [2]]));
test("an empty list", () => assert.deepEqual(paginate([], 3), []));
test("a page larger than the list", () => assert.deepEqual(paginate([1], 10), [[1]]));
test("a bad size", () => assert.throws(() => paginate([1], 0), RangeError));
`,
    solution: {
      "src/paginate.js": `/** Splits a list into pages. */
export function paginate(list, size) {
  if (size < 1) throw new RangeError("size must be at least 1");
  const pages = [];
  for (let start = 0; start < list.length; start += size) pages.push(list.slice(start, start + size));
  return pages;
}
`,
    },
  },
  {
    name: "shared-default",
    kind,
    prompt:
      "Users report that options of one Client leak into another. Reproduce it with a test, find the cause in src/, and fix it.",
    files: {
      "src/defaults.js": `export const defaults = { retries: 2, headers: { accept: "application/json" } };
`,
      "src/client.js": `import { defaults } from "./defaults.js";

export class Client {
  constructor(options = {}) {
    this.options = Object.assign(defaults, options);
    Object.assign(this.options.headers, options.headers);
  }

  header(name) {
    return this.options.headers[name.toLowerCase()];
  }
}
`,
      "test/client.test.js": `import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "../src/client.js";

test("has defaults", () => assert.equal(new Client().options.retries, 2));
`,
    },
    hidden: `import { Client } from "../src/client.js";
test("clients do not share options", () => {
  const first = new Client({ retries: 9, headers: { authorization: "x" } });
  const second = new Client();
  assert.equal(first.options.retries, 9);
  assert.equal(first.header("Authorization"), "x");
  assert.equal(first.header("accept"), "application/json");
  assert.equal(second.options.retries, 2);
  assert.equal(second.header("authorization"), undefined);
});
test("the caller's object is not changed", () => {
  const headers = { a: "1" };
  new Client({ headers });
  assert.deepEqual(headers, { a: "1" });
});
`,
    solution: {
      "src/client.js": `import { defaults } from "./defaults.js";

export class Client {
  constructor(options = {}) {
    this.options = { ...defaults, ...options, headers: { ...defaults.headers, ...options.headers } };
  }

  header(name) {
    return this.options.headers[name.toLowerCase()];
  }
}
`,
    },
  },
  {
    name: "lost-update",
    kind,
    prompt:
      "src/counter-store.js loses increments when several callers run at the same time. Fix it without changing its interface. Increments of different keys must still run side by side.",
    files: {
      "src/counter-store.js": `/** Counts by key. \`backend\` has async get(key) and set(key, value). */
export function createCounterStore(backend) {
  return {
    async increment(key) {
      const value = (await backend.get(key)) ?? 0;
      await backend.set(key, value + 1);
      return value + 1;
    },
  };
}
`,
      "test/counter-store.test.js": `import assert from "node:assert/strict";
import { test } from "node:test";
import { createCounterStore } from "../src/counter-store.js";

test("counts", async () => {
  const map = new Map();
  const store = createCounterStore({ get: async (key) => map.get(key), set: async (key, value) => void map.set(key, value) });
  assert.equal(await store.increment("a"), 1);
});
`,
    },
    hidden: `import { createCounterStore } from "../src/counter-store.js";
const tick = () => new Promise((resolve) => setImmediate(resolve));
function slow() {
  const map = new Map();
  let active = 0;
  const most = { value: 0 };
  const during = async (work) => {
    active++;
    most.value = Math.max(most.value, active);
    await tick();
    active--;
    return work();
  };
  return { map, most, get: (key) => during(() => map.get(key)), set: (key, value) => during(() => map.set(key, value)) };
}
test("no increment is lost", async () => {
  const backend = slow();
  const store = createCounterStore(backend);
  const results = await Promise.all(Array.from({ length: 20 }, () => store.increment("a")));
  assert.equal(backend.map.get("a"), 20);
  assert.deepEqual(results.toSorted((x, y) => x - y), Array.from({ length: 20 }, (_, i) => i + 1));
});
test("keys run side by side", async () => {
  const backend = slow();
  const store = createCounterStore(backend);
  await Promise.all(["a", "b", "c"].map((key) => store.increment(key)));
  assert.ok(backend.most.value > 1);
});
test("a failure does not block the key", async () => {
  const backend = slow();
  let failed = false;
  const store = createCounterStore({ ...backend, set: (key, value) => (failed ? backend.set(key, value) : ((failed = true), Promise.reject(new Error("full")))) });
  await assert.rejects(store.increment("a"), /full/);
  assert.equal(await store.increment("a"), 1);
});
`,
    solution: {
      "src/counter-store.js": `/** Counts by key. \`backend\` has async get(key) and set(key, value). */
export function createCounterStore(backend) {
  const last = new Map();
  const add = async (key) => {
    const value = (await backend.get(key)) ?? 0;
    await backend.set(key, value + 1);
    return value + 1;
  };
  return {
    increment(key) {
      const next = (last.get(key) ?? Promise.resolve()).then(() => add(key));
      last.set(key, next.catch(() => undefined));
      return next;
    },
  };
}
`,
    },
  },
  {
    name: "time-zones",
    kind,
    prompt:
      "formatDay() in src/day.js returns the wrong day for some users. It must give the calendar day in UTC, whatever the time zone of the machine. Fix it and prove it.",
    files: {
      "src/day.js": `const two = (number) => String(number).padStart(2, "0");

/** The day of a date as YYYY-MM-DD. */
export const formatDay = (date) => \`\${date.getFullYear()}-\${two(date.getMonth())}-\${two(date.getDate())}\`;

/** Whole days from one date to another, by their calendar days in UTC. */
export const daysBetween = (from, to) => Math.round((new Date(formatDay(to)) - new Date(formatDay(from))) / 86_400_000);
`,
      "test/day.test.js": `import assert from "node:assert/strict";
import { test } from "node:test";
import { daysBetween } from "../src/day.js";

test("the same day", () => assert.equal(daysBetween(new Date("2026-03-01T08:00:00Z"), new Date("2026-03-01T20:00:00Z")), 0));
`,
    },
    hidden: `process.env.TZ = "Pacific/Auckland";
const { formatDay, daysBetween } = await import("../src/day.js");
test("the day is that of UTC", () => {
  assert.equal(formatDay(new Date("2026-01-31T23:59:59Z")), "2026-01-31");
  assert.equal(formatDay(new Date("2026-02-01T00:00:00Z")), "2026-02-01");
  assert.equal(formatDay(new Date("2026-12-31T12:00:00Z")), "2026-12-31");
});
test("days between", () => assert.equal(daysBetween(new Date("2026-02-27T23:00:00Z"), new Date("2026-03-01T01:00:00Z")), 2));
`,
    solution: {
      "src/day.js": `/** The day of a date in UTC as YYYY-MM-DD. */
export const formatDay = (date) => date.toISOString().slice(0, 10);

/** Whole days from one date to another, by their calendar days in UTC. */
export const daysBetween = (from, to) => Math.round((new Date(formatDay(to)) - new Date(formatDay(from))) / 86_400_000);
`,
    },
  },
];
