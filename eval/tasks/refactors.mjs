// Tasks that change many files in the same way without changing behaviour.

const kind = "refactor";
const names = ["orders", "users", "carts", "prices", "stock", "coupons", "refunds", "taxes", "labels", "routes"];

const callbackModule = (name) => `const rows = new Map([[1, { id: 1, kind: "${name}" }]]);

export function load${name}(id, callback) {
  setImmediate(() => {
    const row = rows.get(id);
    if (!row) return callback(new Error("${name}: no row " + id));
    callback(null, row);
  });
}
`;

const promiseModule = (name) => `const rows = new Map([[1, { id: 1, kind: "${name}" }]]);

export async function load${name}(id) {
  const row = rows.get(id);
  if (!row) throw new Error("${name}: no row " + id);
  return row;
}
`;

const logModule = (name) => `export function ${name}(input) {
  console.log("[${name}] start " + JSON.stringify(input));
  const result = { ...input, done: "${name}" };
  console.log("[${name}] end");
  return result;
}
`;

const loggedModule = (name) => `import { log } from "./log.js";

export function ${name}(input) {
  log("${name}", "start", input);
  const result = { ...input, done: "${name}" };
  log("${name}", "end");
  return result;
}
`;

const filesOf = (make) => Object.fromEntries(names.map((name) => [`src/${name}.js`, make(name)]));

const tabbed = (text) => text.replace(/^( {2})+/gm, (indent) => "\t".repeat(indent.length / 2));

export const refactors = [
  {
    name: "callbacks-to-promises",
    kind,
    prompt:
      "Every module in src/ has one function that takes a callback. Change all of them to async functions without a callback, with the same results and errors, and change src/all.js to use them. Keep the names.",
    files: {
      ...filesOf(callbackModule),
      "src/all.js": `${names.map((name) => `import { load${name} } from "./${name}.js";`).join("\n")}

export function loadAll(id, callback) {
  const loaders = [${names.map((name) => `load${name}`).join(", ")}];
  const results = [];
  const next = (index) => {
    if (index === loaders.length) return callback(null, results);
    loaders[index](id, (error, row) => {
      if (error) return callback(error);
      results.push(row);
      next(index + 1);
    });
  };
  next(0);
}
`,
    },
    hidden: `import { readdirSync, readFileSync } from "node:fs";
import { loadAll } from "../src/all.js";
const names = ${JSON.stringify(names)};
for (const name of names)
  test(name, async () => {
    const load = (await import(\`../src/\${name}.js\`))[\`load\${name}\`];
    assert.deepEqual(await load(1), { id: 1, kind: name });
    await assert.rejects(load(2), new RegExp(\`\${name}: no row 2\`));
  });
test("all", async () => {
  assert.deepEqual((await loadAll(1)).map(({ kind }) => kind), names);
  await assert.rejects(loadAll(7), /no row 7/);
});
test("no callback is left", () => {
  for (const file of readdirSync("src")) assert.doesNotMatch(readFileSync(\`src/\${file}\`, "utf8"), /callback/);
});
`,
    solution: {
      ...filesOf(promiseModule),
      "src/all.js": `${names.map((name) => `import { load${name} } from "./${name}.js";`).join("\n")}

export async function loadAll(id) {
  const results = [];
  for (const load of [${names.map((name) => `load${name}`).join(", ")}]) results.push(await load(id));
  return results;
}
`,
    },
  },
  {
    name: "one-logger",
    kind,
    prompt:
      'The modules in src/ print with console.log. Replace that by one function log(name, event, data) in a new file src/log.js, with setLogger(f) to change where it goes. By default it prints "[name] event" followed by the JSON of data if there is any, exactly as today. No console.log stays outside of src/log.js.',
    files: filesOf(logModule),
    hidden: `import { readdirSync, readFileSync } from "node:fs";
import { setLogger } from "../src/log.js";
const names = ${JSON.stringify(names)};
for (const name of names)
  test(name, async () => {
    const run = (await import(\`../src/\${name}.js\`))[name];
    const heard = [];
    setLogger((...args) => heard.push(args));
    assert.deepEqual(run({ a: 1 }), { a: 1, done: name });
    assert.deepEqual(heard.map(([who, what, data]) => [who, what, data]), [[name, "start", { a: 1 }], [name, "end", undefined]]);
  });
test("no other console.log", () => {
  for (const file of readdirSync("src").filter((each) => each !== "log.js")) assert.doesNotMatch(readFileSync(\`src/\${file}\`, "utf8"), /console\\./);
});
test("the default output is the same", async () => {
  const { execFileSync } = await import("node:child_process");
  const out = execFileSync(process.execPath, ["--input-type=module", "-e", 'import { users } from "./src/users.js"; users({ a: 1 });'], { encoding: "utf8" });
  assert.equal(out, '[users] start {"a":1}\\n[users] end\\n');
});
`,
    solution: {
      ...filesOf(loggedModule),
      "src/log.js": `const print = (name, event, data) =>
  console.log(\`[\${name}] \${event}\${data === undefined ? "" : \` \${JSON.stringify(data)}\`}\`);
let logger = print;

export const setLogger = (next) => {
  logger = next;
};

export const log = (name, event, data) => logger(name, event, data);
`,
    },
  },
  {
    name: "split-module",
    kind,
    prompt:
      "src/shapes.js has grown too large. Split it into one file per shape in src/shapes/ (circle.js, square.js, triangle.js), with the shared helper in src/shapes/round.js. src/shapes.js stays and only re-exports. No behaviour changes, and no file imports from src/shapes.js except tests and src/report.js.",
    files: {
      "src/shapes.js": `const round = (value) => Math.round(value * 100) / 100;

export const circle = (radius) => ({ kind: "circle", area: round(Math.PI * radius ** 2), outline: round(2 * Math.PI * radius) });

export const square = (side) => ({ kind: "square", area: round(side ** 2), outline: round(4 * side) });

export function triangle(a, b, c) {
  if (a + b <= c || a + c <= b || b + c <= a) throw new RangeError("not a triangle");
  const half = (a + b + c) / 2;
  return { kind: "triangle", area: round(Math.sqrt(half * (half - a) * (half - b) * (half - c))), outline: round(a + b + c) };
}
`,
      "src/report.js": `import { circle, square, triangle } from "./shapes.js";

export const report = () => [circle(1), square(2), triangle(3, 4, 5)].map(({ kind, area }) => \`\${kind}: \${area}\`).join("\\n");
`,
    },
    hidden: `import { existsSync, readFileSync } from "node:fs";
import * as shapes from "../src/shapes.js";
import { report } from "../src/report.js";
test("behaviour", () => {
  assert.equal(report(), "circle: 3.14\\nsquare: 4\\ntriangle: 6");
  assert.throws(() => shapes.triangle(1, 1, 5), RangeError);
  assert.deepEqual(Object.keys(shapes).toSorted(), ["circle", "square", "triangle"]);
});
test("files", () => {
  for (const name of ["circle", "square", "triangle", "round"]) {
    assert.ok(existsSync(\`src/shapes/\${name}.js\`), name);
    assert.doesNotMatch(readFileSync(\`src/shapes/\${name}.js\`, "utf8"), /shapes\\.js/);
  }
  assert.doesNotMatch(readFileSync("src/shapes.js", "utf8"), /Math|function|=>/);
});
`,
    solution: {
      "src/shapes.js": `export { circle } from "./shapes/circle.js";
export { square } from "./shapes/square.js";
export { triangle } from "./shapes/triangle.js";
`,
      "src/shapes/round.js": "export const round = (value) => Math.round(value * 100) / 100;\n",
      "src/shapes/circle.js": `import { round } from "./round.js";

export const circle = (radius) => ({ kind: "circle", area: round(Math.PI * radius ** 2), outline: round(2 * Math.PI * radius) });
`,
      "src/shapes/square.js": `import { round } from "./round.js";

export const square = (side) => ({ kind: "square", area: round(side ** 2), outline: round(4 * side) });
`,
      "src/shapes/triangle.js": `import { round } from "./round.js";

export function triangle(a, b, c) {
  if (a + b <= c || a + c <= b || b + c <= a) throw new RangeError("not a triangle");
  const half = (a + b + c) / 2;
  return { kind: "triangle", area: round(Math.sqrt(half * (half - a) * (half - b) * (half - c))), outline: round(a + b + c) };
}
`,
    },
  },
  {
    name: "rename-across-files",
    kind,
    prompt:
      'Rename the concept "client" to "customer" everywhere in src/ and docs/: functions, parameters, file names and texts. In src/http.js "client" means the HTTP client: leave that file as it is. Indentation is by tabs and stays so.',
    files: {
      "src/client.js": tabbed(`export function createClient(name) {
  return { name, orders: [] };
}

export function clientName(client) {
  return client.name;
}
`),
      "src/invoice.js": tabbed(`import { clientName } from "./client.js";

export function invoice(client, amount) {
  return "Client " + clientName(client) + " pays " + amount;
}
`),
      "src/http.js": tabbed(`export function createHttpClient(base) {
  const client = { base };
  return client;
}
`),
      "docs/guide.md": "# Guide\n\nA client has a name. Create one with `createClient(name)`.\n",
    },
    hidden: `import { existsSync, readFileSync } from "node:fs";
import { createCustomer, customerName } from "../src/customer.js";
import { invoice } from "../src/invoice.js";
import { createHttpClient } from "../src/http.js";
test("behaviour", () => {
  const customer = createCustomer("Ann");
  assert.equal(customerName(customer), "Ann");
  assert.equal(invoice(customer, 5), "Customer Ann pays 5");
  assert.deepEqual(createHttpClient("x"), { base: "x" });
});
test("no trace is left", () => {
  assert.equal(existsSync("src/client.js"), false);
  for (const file of ["src/customer.js", "src/invoice.js", "docs/guide.md"]) assert.doesNotMatch(readFileSync(file, "utf8"), /client/i);
  assert.match(readFileSync("src/http.js", "utf8"), /createHttpClient/);
  assert.match(readFileSync("docs/guide.md", "utf8"), /createCustomer/);
});
test("tabs", () => {
  for (const file of ["src/customer.js", "src/invoice.js"]) assert.doesNotMatch(readFileSync(file, "utf8"), /^ +/m);
});
`,
    solution: {
      "src/client.js": undefined,
      "src/customer.js": tabbed(`export function createCustomer(name) {
  return { name, orders: [] };
}

export function customerName(customer) {
  return customer.name;
}
`),
      "src/invoice.js": tabbed(`import { customerName } from "./customer.js";

export function invoice(customer, amount) {
  return "Customer " + customerName(customer) + " pays " + amount;
}
`),
      "docs/guide.md": "# Guide\n\nA customer has a name. Create one with `createCustomer(name)`.\n",
    },
  },
];
