import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { temporaryFolder } from "../support/files/temporary-folder.ts";

interface FoundFaults {
  readonly seed: number;
  readonly faults: readonly { readonly rule: string; readonly message: string }[];
}

const run = promisify(execFile);

/** Runs the simulation as a user does. Returns its output also when it has found faults. */
async function simulate(...args: readonly string[]): Promise<string> {
  const call = run(process.execPath, ["simulation/run.mjs", ...args], { maxBuffer: 64 * 1024 * 1024 });
  const { stdout } = await call.catch((error: { code?: unknown; stdout?: string }) => {
    if (error.code !== 1 || error.stdout === undefined) throw error;
    return { stdout: error.stdout };
  });
  return stdout;
}

const faultsIn = (output: string): readonly string[] =>
  output
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Partial<FoundFaults>)
    .flatMap(({ seed, faults = [] }) =>
      faults.map(({ rule, message }) => `${rule}: ${message} (npm run simulate -- --seed ${seed} --step)`),
    );

/** Few seeds, in parts that end in time on a slow machine. `npm run soak` plays many. */
test.each([1, 101, 201])("100 teams from seed %i keep all rules through kills and faults", async (seed) => {
  expect(faultsIn(await simulate("--seed", String(seed), "--runs", "100", "--json"))).toEqual([]);
});

/** Runs that found a fault once. */
const foundOnce = [
  [55, "a lead that is resumed does not wait for a report that it has read"],
  [140, "a lead is reminded of a plan only after a turn with it"],
  [150, "a deleted task does not make the lead wait for a report of its owner"],
  [174, "a report without text reaches the lead soon if its author changed something"],
  [271, "a lead whose model fails is not reminded of the plan that it has just got"],
  [1004, "a run does not wait for mail of a member that has failed"],
  [1225, "a report does not wait for the mail of a member that waits for the lead"],
  [1243, "a team can be deleted while its last member still closes"],
  [1306, "a lead gets a notice once, even if it becomes idle twice"],
  [1968, "a resumed member that owes a report is not idle before it"],
  [3374, "a run without any cost does not exceed its budget"],
  [3898, "a program that does not start on a full disk is started again"],
  [5031, "a report may wait while the disk is full"],
  [2000788, "a run does not end before a report that waits for space on the disk"],
  [2001677, "an end is heard although the time of day was set back before it"],
  [2002728, "a resumed lead is reminded of a plan that it saw before"],
  [2003186, "a notice of an idle team does not name a plan that comes with it"],
  [2004693, "a lead whose run ends without a turn is woken for the news that came during it"],
  [2006099, "a resumed lead is reminded of a plan that it read before the mail of it"],
  [7000933, "a member reads that a task of its unread mail was released while it was away"],
  [2006985, "a resumed lead does not wait for mail of a member that has failed"],
] as const;

test("seeds that found a fault once keep all rules", async () => {
  const seeds = foundOnce.flatMap(([seed]) => ["--seed", String(seed)]);
  expect(faultsIn(await simulate(...seeds, "--json"))).toEqual([]);
});

test("the same seed gives the same run, step by step", async () => {
  const trace = () => simulate("--seed", "7", "--step");
  const withoutSpeed = (output: string) => output.replace(/, [\d.]+ runs for each second.*/, "");
  const [first, second] = await Promise.all([trace(), trace()]);
  expect(withoutSpeed(second)).toBe(withoutSpeed(first));
  expect(first).toContain("the program is killed");
});

test("members have the types of the user's own definitions", async () => {
  const folder = temporaryFolder();
  const definition = (name: string, fields: string) =>
    `---\nname: ${name}\ndescription: d\n${fields}\n---\nYou work.\n`;
  await writeFile(join(folder, "reader.md"), definition("reader", "tools: Read\nmodel: opus"));
  await writeFile(join(folder, "writer.md"), definition("writer", "tools: Read, Write\nisolation: worktree"));
  const output = await simulate("--agents", folder, "--runs", "8", "--step");
  expect(output).toMatch(/alice: (reader|writer)/);
  expect(output).not.toContain("general-purpose");
  expect(output).not.toContain("faults. ");
  await writeFile(join(folder, "broken.md"), "no front matter");
  await expect(simulate("--agents", folder)).rejects.toThrow("broken.md:1: the frontmatter is missing");
});
