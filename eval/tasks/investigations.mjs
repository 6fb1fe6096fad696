// Tasks that find something out. The answer goes into a file with a fixed form.

const kind = "investigation";

/** A chain of modules. The slow one is the only one that is quadratic. */
const steps = Object.fromEntries(
  Array.from({ length: 12 }, (_, index) => {
    const body =
      index === 7
        ? "const out = [];\n  for (const item of list) if (!out.includes(item)) out.push(item);\n  return out;"
        : `return list.map((item) => item + ${index});`;
    return [`src/step-${index}.js`, `export function step${index}(list) {\n  ${body}\n}\n`];
  }),
);

const settings = Object.fromEntries(
  ["base", "team", "region", "night", "user"].map((name, index) => [
    `config/${index}-${name}.json`,
    `${JSON.stringify(name === "night" ? { timeout: 5, retries: 9 } : name === "team" ? { timeout: 30 } : { color: name }, undefined, 2)}\n`,
  ]),
);

export const investigations = [
  {
    name: "slow-step",
    kind,
    prompt:
      'run() in src/run.js is slow for long lists. Find the step whose time grows faster than the list. Change nothing in src/. Write the answer to answer.json: {"file": "src/…", "cause": "one sentence"}.',
    files: {
      ...steps,
      "src/run.js": `${Array.from({ length: 12 }, (_, index) => `import { step${index} } from "./step-${index}.js";`).join("\n")}

export const run = (list) => [${Array.from({ length: 12 }, (_, index) => `step${index}`).join(", ")}].reduce((value, step) => step(value), list);
`,
    },
    hidden: `import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
test("the answer", () => {
  const { file, cause } = JSON.parse(readFileSync("answer.json", "utf8"));
  assert.equal(file, "src/step-7.js");
  assert.ok(typeof cause === "string" && cause.length > 10);
});
test("nothing was changed", () => assert.equal(execFileSync("git", ["status", "--porcelain", "src"], { encoding: "utf8" }), ""));
`,
    solution: {
      "answer.json": '{"file":"src/step-7.js","cause":"includes() searches the whole result for every item."}\n',
    },
  },
  {
    name: "which-setting",
    kind,
    prompt:
      'The program reads config/*.json in the order of their names; later files win. At night the timeout is 5. Which file sets the timeout that counts, what would it be without that file, and which file else sets retries? Write answer.json: {"file": "…", "otherwise": number, "retries": "file or null"}.',
    files: {
      ...settings,
      "src/load.js": `import { readdirSync, readFileSync } from "node:fs";

export const load = () => Object.assign({}, ...readdirSync("config").toSorted().map((name) => JSON.parse(readFileSync(\`config/\${name}\`, "utf8"))));
`,
    },
    hidden: `import { readFileSync } from "node:fs";
test("the answer", () => {
  const answer = JSON.parse(readFileSync("answer.json", "utf8"));
  assert.match(answer.file, /3-night\\.json$/);
  assert.equal(answer.otherwise, 30);
  assert.equal(answer.retries, null);
});
`,
    solution: { "answer.json": '{"file":"config/3-night.json","otherwise":30,"retries":null}\n' },
  },
  {
    name: "dead-code",
    kind,
    prompt:
      "Find all exported functions in src/ that nothing imports or calls, directly or through others, starting at src/main.js. Write their names, sorted, one per line, to unused.txt. Change nothing else.",
    files: {
      "src/main.js": `import { start } from "./start.js";

start();
`,
      "src/start.js": `import { open, close } from "./door.js";
import * as lamp from "./lamp.js";

export function start() {
  open();
  lamp.on();
  close();
}

export function restart() {
  start();
}
`,
      "src/door.js": `export function open() {}
export function close() {}
export function lock() {
  close();
}
`,
      "src/lamp.js": `import { volts } from "./power.js";

export function on() {
  return volts();
}

export function dim() {
  return half();
}

export function half() {
  return volts() / 2;
}
`,
      "src/power.js": `export function volts() {
  return 230;
}

export function amps() {
  return 16;
}
`,
    },
    hidden: `import { readFileSync } from "node:fs";
test("the list", () => assert.deepEqual(readFileSync("unused.txt", "utf8").trim().split(/\\s+/), ["amps", "dim", "half", "lock", "restart"]));
`,
    solution: { "unused.txt": "amps\ndim\nhalf\nlock\nrestart\n" },
  },
];
