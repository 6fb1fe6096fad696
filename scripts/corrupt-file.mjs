// One seeded corruption of one file, as disks, power cuts, editors and other programs leave it.
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";

/** Numbers from 0 to 1 that follow from the seed. */
export function createRandom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 4294967296;
  };
}

const below = (random, limit) => Math.floor(random() * limit);

const linesOf = (path) => readFileSync(path, "latin1").split("\n");
const writeLines = (path, lines) => writeFileSync(path, lines.join("\n"), "latin1");
const deepLine = `{"v":1,"mail":${"[".repeat(5000)}${"]".repeat(5000)}}`;

const corruptions = {
  "one bit": (path, random) => {
    const bytes = readFileSync(path);
    if (bytes.length > 0) bytes[below(random, bytes.length)] ^= 1 << below(random, 8);
    writeFileSync(path, bytes);
  },
  "a block of noise": (path, random) => {
    const bytes = readFileSync(path);
    const from = below(random, bytes.length);
    for (let at = from; at < Math.min(bytes.length, from + 64); at++) bytes[at] = below(random, 256);
    writeFileSync(path, bytes);
  },
  "only zeros": (path) => writeFileSync(path, Buffer.alloc(readFileSync(path).length)),
  "zeros at the end": (path, random) => {
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(0, below(random, bytes.length)));
  },
  "an empty file": (path) => truncateSync(path),
  "a cut in a line": (path, random) => {
    const bytes = readFileSync(path);
    const cut = 1 + below(random, bytes.length);
    writeFileSync(path, bytes.subarray(0, bytes[cut - 1] === 0x0a ? cut - 1 : cut));
  },
  "a line of noise": (path, random) => {
    const lines = linesOf(path);
    lines.splice(below(random, lines.length), 0, "{not json \u0000\u00ff");
    writeLines(path, lines);
  },
  "a deep line": (path, random) => {
    const lines = linesOf(path);
    lines.splice(below(random, lines.length), 0, deepLine);
    writeLines(path, lines);
  },
  "a line twice": (path, random) => {
    const lines = linesOf(path);
    const at = below(random, lines.length);
    lines.splice(at, 0, lines[at]);
    writeLines(path, lines);
  },
  "a folder": (path) => {
    rmSync(path);
    mkdirSync(path);
  },
  "a link to itself": (path) => {
    rmSync(path);
    symlinkSync(path, path);
  },
  "no rights": (path) => chmodSync(path, 0),
};

/** Corrupts the file in one of the ways. Returns the name of the way. */
export function corruptFile(path, random) {
  const names = Object.keys(corruptions);
  const name = names[below(random, names.length)];
  corruptions[name](path, random);
  return name;
}
