// `npm run golden -- record DIR` plays sessions with the built program and records their results.
// `npm run golden -- compare DIR` plays them again and prints the differences.
import { setMaxListeners } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { differences, show, withoutText } from "./compare.mjs";
import { factsWithoutText, otherFacts } from "./facts.mjs";
import { recordings } from "./recordings.mjs";

const usage = `Usage: npm run golden -- record DIR [--program FILE] [--only NAME]…
       npm run golden -- compare DIR [--with OTHER_DIR] [--ignore-text] [--program FILE] [--only NAME]…`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    program: { type: "string", default: resolve(import.meta.dirname, "../dist/troupe.cjs") },
    only: { type: "string", multiple: true, default: [] },
    with: { type: "string" },
    "ignore-text": { type: "boolean", default: false },
  },
});
const [command, folder] = positionals;
const program = resolve(values.program);

async function main() {
  if (!["record", "compare"].includes(command) || folder === undefined) return complain(usage);
  if (!existsSync(program)) return complain(`There is no program ${program}. Build it with: npm run build`);
  const chosen = recordings.filter(({ name }) => values.only.length === 0 || values.only.includes(name));
  const unknown = values.only.filter((name) => !recordings.some((one) => one.name === name));
  if (unknown.length > 0) return complain(`There is no session ${unknown.join(", ")}.`);
  if (command === "record") {
    mkdirSync(folder, { recursive: true });
    if (values.only.length === 0) for (const file of recorded(folder)) rmSync(join(folder, file));
    const failed = await playAll(chosen, (name, value) =>
      writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(value, null, 1)}\n`),
    );
    return failed;
  }
  if (recorded(folder).length === 0) return complain(`There is no recording in ${folder}.`);
  return compareAll(chosen);
}

function complain(words) {
  console.error(words);
  return 2;
}

const recorded = (from) => (existsSync(from) ? readdirSync(from).filter((file) => file.endsWith(".json")) : []);
const read = (from, name) => {
  const file = join(from, `${name}.json`);
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
};

/** Plays the sessions, a few at a time. Returns 1 if one fails. */
async function playAll(chosen, keep) {
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal);
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => stopping.abort(new Error(signal)));
  const queue = [...chosen];
  let failed = 0;
  const next = async () => {
    for (let one = queue.shift(); one !== undefined && !stopping.signal.aborted; one = queue.shift()) {
      try {
        keep(one.name, await one.record({ program, signal: stopping.signal }));
      } catch (error) {
        failed = 1;
        console.error(`${one.name} could not be recorded: ${error.stack}`);
      }
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() + 1 }, next));
  return stopping.signal.aborted ? 130 : failed;
}

function compared(was, is) {
  const ignoreText = values["ignore-text"];
  if (!was.always || !is.always)
    return ignoreText ? differences(withoutText(was), withoutText(is)) : differences(was, is);
  return ignoreText ? otherFacts(factsWithoutText(was), factsWithoutText(is)) : otherFacts(was, is);
}

async function compareAll(chosen) {
  const after = new Map();
  let failed = 0;
  if (values.with === undefined) failed = await playAll(chosen, (name, value) => after.set(name, value));
  else for (const { name } of chosen) after.set(name, read(values.with, name));
  let different = 0;
  for (const { name } of chosen) {
    const [was, is] = [read(folder, name), after.get(name)];
    if (was === undefined || is === undefined) {
      different += 1;
      console.log(`${name} is not in ${was === undefined ? folder : (values.with ?? "what was played now")}.`);
      continue;
    }
    const found = compared(was, JSON.parse(JSON.stringify(is)));
    if (found.length === 0) continue;
    different += 1;
    console.log(`${name} differs:`);
    for (const difference of found) console.log(show(difference));
  }
  console.log(
    different === 0 ? `${chosen.length} sessions are equal.` : `${different} of ${chosen.length} sessions differ.`,
  );
  return failed || (different > 0 ? 1 : 0);
}

process.exitCode = await main();
