import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

const script = resolve(import.meta.dirname, "../../scripts/check-limits.mjs");
const baseline = "scripts/limits-baseline.json";
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "troupe-limits-"));
  write("web/src/empty.ts", "");
  write("src/small.ts", `${functionOf("atLimit", 120)}${interfaceOf("AtLimit", 15)}`);
  writeBaseline({}, {});
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("code within the limits passes", () => {
  expect(run()).toEqual({ status: 0, output: "" });
});

test("a new exception fails and names its file, name and size", () => {
  write("src/large.ts", `${functionOf("large", 121)}${interfaceOf("Large", 16)}`);
  const { status, output } = run();
  expect(status).toBe(1);
  expect(output).toContain("src/large.ts#large: 121 lines, the limit is 120. Split it.");
  expect(output).toContain("src/large.ts#Large: 16 fields, the limit is 15. Split it.");
});

test("arrow functions, methods, React components and object types are measured", () => {
  const statements = "  call();\n".repeat(121);
  write("src/arrow.ts", `export const arrow = () => {\n${statements}};\n`);
  write("src/method.ts", `export class Store {\n  open() {\n${statements}}\n}\n`);
  write("web/src/list.tsx", `export const List = memo(() => {\n${statements}  return <p />;\n});\n`);
  write("src/callback.ts", `export function start() { return 1; }\ncall(() => {\n${statements}});\n`);
  write("src/alias.ts", `export type Alias = Readonly<{\n${fields(16)}}>;\n`);
  const { output } = run();
  expect(output.split("\n").map((line) => line.replace(/,.*/, ""))).toEqual([
    "src/arrow.ts#arrow: 123 lines",
    "src/callback.ts#anonymous: 123 lines",
    "src/method.ts#open: 123 lines",
    "web/src/list.tsx#List: 124 lines",
    "src/alias.ts#Alias: 16 fields",
  ]);
});

test("two exceptions with one name in one file are both listed", () => {
  write("src/twice.ts", `function a() {\n${functionOf("same", 130)}}\nfunction b() {\n${functionOf("same", 140)}}\n`);
  const { output } = run();
  expect(output).toContain("src/twice.ts#same: 130 lines");
  expect(output).toContain("src/twice.ts#same~2: 140 lines");
});

test("an exception in the baseline passes until it grows", () => {
  writeBaseline({ "src/large.ts#large": 130 }, {});
  write("src/large.ts", functionOf("large", 130));
  expect(run().status).toBe(0);
  write("src/large.ts", functionOf("large", 131));
  const { status, output } = run();
  expect(status).toBe(1);
  expect(output).toBe("src/large.ts#large: 131 lines, grown from 130. Make it smaller.");
});

test("a smaller or unneeded exception fails until the baseline is updated", () => {
  writeBaseline({ "src/large.ts#large": 130 }, { "src/gone.ts#Gone": 20 });
  write("src/large.ts", functionOf("large", 125));
  const { status, output } = run();
  expect(status).toBe(1);
  expect(output.split("\n")).toEqual([
    "src/large.ts#large: 125 lines, down from 130. Run `npm run limits:update`.",
    "src/gone.ts#Gone: no longer over the limit, or moved. Run `npm run limits:update`.",
  ]);
  expect(run("--update").status).toBe(0);
  expect(readBaseline()).toEqual({ functions: { "src/large.ts#large": 125 }, types: {} });
  expect(run().status).toBe(0);
});

test.each(["new", "larger"])("an update refuses a %s exception and writes nothing", (change) => {
  writeBaseline({ "src/large.ts#large": 130, "src/gone.ts#gone": 150 }, {});
  write("src/large.ts", functionOf("large", change === "larger" ? 131 : 130));
  if (change === "new") write("src/new.ts", functionOf("added", 121));
  const before = readBaseline();
  const { status, output } = run("--update");
  expect(status).toBe(1);
  expect(output).toContain("--update only lowers limits. Nothing is written.");
  expect(readBaseline()).toEqual(before);
});

test("a rename is reported with the command that follows it, and rekeyed", () => {
  writeBaseline({ "src/old.ts#old": 130, "src/stays.ts#stays": 140 }, { "src/old.ts#Old": 16 });
  write("src/stays.ts", functionOf("stays", 140));
  write("src/new/place.ts", `${functionOf("renamed", 130)}${interfaceOf("Renamed", 16)}`);
  expect(run().output).toContain("run `npm run limits:rekey`");
  expect(run("--rekey")).toEqual({ status: 0, output: "" });
  expect(readBaseline()).toEqual({
    functions: { "src/new/place.ts#renamed": 130, "src/stays.ts#stays": 140 },
    types: { "src/new/place.ts#Renamed": 16 },
  });
  expect(run().status).toBe(0);
});

test.each([
  ["a size that grew with its new name", { "src/new.ts": functionOf("a", 131) + functionOf("b", 125) }],
  ["more exceptions", { "src/new.ts": functionOf("a", 130) + functionOf("b", 125) + functionOf("c", 121) }],
  ["a type in place of a function", { "src/new.ts": functionOf("a", 130) + interfaceOf("B", 16) }],
])("a rekey refuses %s and writes nothing", (_, files) => {
  writeBaseline({ "src/old.ts#a": 130, "src/old.ts#b": 125 }, {});
  for (const [path, text] of Object.entries(files)) write(path, text);
  const before = readBaseline();
  const { status, output } = run("--rekey");
  expect(status).toBe(1);
  expect(output).toContain("--rekey only renames exceptions. Nothing is written.");
  expect(readBaseline()).toEqual(before);
});

test("a rekey refuses a key that stays and grows, even when another one shrinks", () => {
  writeBaseline({ "src/two.ts#a": 130, "src/two.ts#b": 150 }, {});
  write("src/two.ts", functionOf("a", 150) + functionOf("b", 130));
  const { status, output } = run("--rekey");
  expect(status).toBe(1);
  expect(output).toContain("src/two.ts#a: 150 lines, grown from 130.");
});

test("a file that cannot be parsed fails the check", () => {
  write("src/broken.ts", "export function {");
  const { status, output } = run();
  expect(status).toBe(1);
  expect(output).toContain("cannot parse src/broken.ts");
});

test("an unknown option fails with the usage", () => {
  const { status, output } = run("--raise");
  expect(status).toBe(2);
  expect(output).toContain("usage:");
});

function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], { cwd: folder, encoding: "utf8" });
  return { status, output: (stdout + stderr).trim() };
}

function write(path: string, text: string) {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

function writeBaseline(functions: Record<string, number>, types: Record<string, number>) {
  write(baseline, JSON.stringify({ functions, types }));
}

function readBaseline(): unknown {
  return JSON.parse(readFileSync(join(folder, baseline), "utf8"));
}

function functionOf(name: string, lines: number) {
  return `export function ${name}() {\n${"  call();\n".repeat(lines - 2)}}\n`;
}

function interfaceOf(name: string, count: number) {
  return `export interface ${name} {\n${fields(count)}}\n`;
}

function fields(count: number) {
  return Array.from({ length: count }, (_, index) => `  field${index}: string;\n`).join("");
}
