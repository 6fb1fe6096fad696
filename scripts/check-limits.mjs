// Limits that only shrink: functions of at most 120 lines, interfaces and object types of at most 15 fields.
// Fewer than 30 fields stand for a value that is set later. `scripts/late-fields.mjs` lists them.
// `scripts/limits-baseline.json` lists the exceptions as `file#name` with their size.
//   (no option)  fails on a new, larger, smaller or unneeded exception
//   --update     lowers or removes exceptions; refuses to add or raise one
//   --rekey      renames exceptions after functions, types or files moved; refuses when the sizes grow
//   --list       prints the current exceptions as JSON
import { readFileSync, writeFileSync } from "node:fs";
import { findLateFields, maxLateFields } from "./late-fields.mjs";
import { lineCounter, listFiles, parseFile, walk } from "./source-files.mjs";

const areas = ["src", "web/src"];
const baselineFile = "scripts/limits-baseline.json";
const kinds = [
  { kind: "functions", max: 120, unit: "lines" },
  { kind: "types", max: 15, unit: "fields" },
];

/** The settings are one flat type by design: one field for each setting that users can write. */
const settingsType = "src/session/config/load-config.ts#Config";

/** Nodes between a name and its value: `const List = memo(function …)`, `type A = Readonly<{ … }>`. */
const transparent = new Set([
  "CallExpression",
  "TSAsExpression",
  "TSSatisfiesExpression",
  "ParenthesizedExpression",
  "TSTypeReference",
  "TSTypeParameterInstantiation",
  "TSIntersectionType",
  "TSUnionType",
]);

const [mode = "--check", ...rest] = process.argv.slice(2);
const modes = { "--check": check, "--update": update, "--rekey": rekey, "--list": list };
if (modes[mode] === undefined || rest.length > 0) {
  console.error("usage: node scripts/check-limits.mjs [--update | --rekey | --list]");
  process.exit(2);
}
modes[mode]();

function check() {
  const { added, grown, shrunk, gone } = compare();
  const problems = [
    ...added.map((e) => `${e.key}: ${e.size} ${e.unit}, the limit is ${e.max}. Split it.`),
    ...grown.map((e) => `${e.key}: ${e.size} ${e.unit}, grown from ${e.before}. Make it smaller.`),
    ...shrunk.map((e) => `${e.key}: ${e.size} ${e.unit}, down from ${e.before}. Run \`npm run limits:update\`.`),
    ...gone.map((e) => `${e.key}: no longer over the limit, or moved. Run \`npm run limits:update\`.`),
  ];
  if (added.length > 0 && gone.length > 0) {
    problems.push("If you only renamed or moved code, run `npm run limits:rekey`.");
  }
  const late = findLateFields().length;
  if (late >= maxLateFields)
    problems.push(`${late} fields are set later, the limit is ${maxLateFields - 1}. See \`scripts/late-fields.mjs\`.`);
  fail(problems);
}

function update() {
  const { found, added, grown } = compare();
  refuse("--update only lowers limits", [...added, ...grown]);
  if (process.exitCode !== 1) write(found);
}

/** A key that stays must not grow. The keys that came must fit, largest first, into the sizes of the keys that went. */
function rekey() {
  const { found, added, grown, gone } = compare();
  const tooLarge = kinds.flatMap(({ kind }) => {
    const room = gone.filter((e) => e.kind === kind).map((e) => e.before);
    const largestFirst = added.filter((e) => e.kind === kind).sort((a, b) => b.size - a.size);
    room.sort((a, b) => b - a);
    return largestFirst.filter((e, index) => e.size > (room[index] ?? 0));
  });
  refuse("--rekey only renames exceptions", [...grown, ...tooLarge]);
  if (process.exitCode !== 1) write(found);
}

function list() {
  console.log(JSON.stringify(measure(), null, 2));
}

function refuse(rule, entries) {
  fail(
    entries.map((e) => {
      const before = e.before === undefined ? "not in the baseline at this size" : `grown from ${e.before}`;
      return `${e.key}: ${e.size} ${e.unit}, ${before}. ${rule}. Nothing is written.`;
    }),
  );
}

function fail(problems) {
  if (problems.length === 0) return;
  for (const problem of problems) console.error(problem);
  process.exitCode = 1;
}

function write(found) {
  writeFileSync(baselineFile, `${JSON.stringify(found, null, 2)}\n`);
}

/** Compares the code with the baseline. */
function compare() {
  const found = measure();
  const baseline = JSON.parse(readFileSync(baselineFile, "utf8"));
  const entries = kinds.flatMap(({ kind, max, unit }) =>
    [...new Set([...Object.keys(found[kind]), ...Object.keys(baseline[kind])])].map((key) => ({
      kind,
      max,
      unit,
      key,
      size: found[kind][key],
      before: baseline[kind][key],
    })),
  );
  return {
    found,
    added: entries.filter((e) => e.before === undefined),
    gone: entries.filter((e) => e.size === undefined),
    grown: entries.filter((e) => e.size > e.before),
    shrunk: entries.filter((e) => e.size < e.before),
  };
}

/** Returns everything over its limit, by kind and key. */
function measure() {
  const found = { functions: {}, types: {} };
  const add = (kind, key, size) => {
    let unique = key;
    for (let count = 2; unique in found[kind]; count++) unique = `${key}~${count}`;
    found[kind][unique] = size;
  };
  for (const file of listFiles(areas, /\.tsx?$/)) {
    const text = readFileSync(file, "utf8");
    const lineOf = lineCounter(text);
    walk(parseFile(file, text).program, (node, ancestors) => {
      const measured = measureNode(node, lineOf);
      if (measured === undefined || measured.size <= kinds.find(({ kind }) => kind === measured.kind).max) return;
      const key = `${file}#${nameOf(node, ancestors)}`;
      if (key !== settingsType) add(measured.kind, key, measured.size);
    });
  }
  return found;
}

function measureNode(node, lineOf) {
  switch (node.type) {
    case "FunctionDeclaration":
    case "FunctionExpression":
    case "ArrowFunctionExpression":
      return { kind: "functions", size: lineOf(node.end - 1) - lineOf(node.start) + 1 };
    case "TSInterfaceBody":
      return { kind: "types", size: node.body.length };
    case "TSTypeLiteral":
      return { kind: "types", size: node.members.length };
    default:
      return undefined;
  }
}

/** Returns the name of a function or type: its own, or that of the variable, property or alias that holds it. */
function nameOf(node, ancestors) {
  const holder = node.id ? node : ancestors.findLast((parent) => !transparent.has(parent.type));
  const name = ownName(holder);
  if (name !== undefined) return name;
  const outer = ancestors.findLast((parent) => ownName(parent) !== undefined);
  return outer === undefined ? "anonymous" : `${ownName(outer)}.anonymous`;
}

function ownName(node) {
  switch (node.type) {
    case "VariableDeclarator":
    case "FunctionDeclaration":
    case "FunctionExpression":
    case "TSInterfaceDeclaration":
    case "TSTypeAliasDeclaration":
    case "ClassDeclaration":
      return node.id?.name;
    case "Property":
    case "PropertyDefinition":
    case "MethodDefinition":
    case "TSPropertySignature":
      return node.key.name ?? node.key.value;
    default:
      return undefined;
  }
}
