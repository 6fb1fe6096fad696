import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { workplace } from "../../support/cli/workplace.ts";

/** A session that has ended, and the path of its log. */
async function ended() {
  const place = workplace();
  const script = place.write("script.json", { version: 1, rules: [{ answer: { text: "hello" } }] });
  const again = ["-p", "again", "--continue", "--model", `scripted/${script}`];
  expect((await place.run(["-p", "first words", "--model", `scripted/${script}`])).code).toBe(0);
  const projects = join(place.home, ".troupe", "projects");
  const name = readdirSync(projects, { recursive: true, encoding: "utf8" }).find((each) => each.endsWith(".jsonl"));
  const log = join(projects, name ?? "");
  return { place, log, id: /ses_\w+/.exec(log)?.[0] ?? "", again };
}

const damages: readonly (readonly [string, (log: string) => void, RegExp])[] = [
  ["only has zeros", (log) => writeFileSync(log, Buffer.alloc(readFileSync(log).length)), /its beginning is damaged/],
  ["is empty", (log) => truncateSync(log), /its log is empty/],
  ["ends in its first record", (log) => truncateSync(log, 40), /its beginning is damaged/],
  ["is a link to itself", (log) => replace(log, () => symlinkSync(log, log)), /cannot be read/],
  ["is a folder", (log) => replace(log, () => mkdirSync(log)), /cannot be read/],
];

function replace(log: string, by: () => void) {
  rmSync(log);
  by();
}

test.each(damages)("log that %s is listed with its problem, and --continue names it", async (_, damage, problem) => {
  const { place, log, id, again } = await ended();
  damage(log);
  const listed = await place.run(["sessions", "list"]);
  expect(listed).toMatchObject({ code: 0, stderr: "" });
  expect(listed.stdout).toContain(id);
  expect(listed.stdout).toMatch(problem);
  const continued = await place.run(again);
  expect(continued.code).not.toBe(0);
  expect(continued.stderr).toContain(dirname(log));
  expect(continued.stderr).not.toMatch(/bug in troupe/);
});

test("repair keeps the readable events of a log and its original", async () => {
  const { place, log, id, again } = await ended();
  const lines = readFileSync(log, "utf8").split("\n");
  const deep = `{"v":1,"deep":${"[".repeat(5000)}${"]".repeat(5000)}}`;
  writeFileSync(log, [...lines.slice(0, -2), deep, "{not json", ...lines.slice(-2)].join("\n"));
  expect((await place.run(again)).stderr).toMatch(/nested deeper than 1000 levels \(and 1 more\).*sessions repair/);
  const repaired = await place.run(["sessions", "repair", id]);
  expect(repaired.stdout).toMatch(/2 damaged records removed/);
  expect(readdirSync(dirname(log)).some((name) => name.includes(".jsonl.bad-"))).toBe(true);
  expect(await place.run(again)).toMatchObject({ code: 0, stdout: "hello\n" });
});
