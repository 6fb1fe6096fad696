import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildProgram } from "../../support/processes/build-program.ts";
import { needStrace, onlyTheseStop } from "../../support/processes/required-tools.ts";
import { isSoak } from "../../support/setup/soak-rounds.ts";
import { temporaryFolder } from "../../support/files/temporary-folder.ts";
import { openList } from "../../support/store/open-task-list.ts";

let program: Awaited<ReturnType<typeof buildProgram>>;

beforeAll(async () => {
  needStrace();
  program = await buildProgram("change-tasks.ts");
});
afterAll(() => program.remove());

/**
 * One fault at the Nth call of its kind on the list, its successor and the compaction claim, until a run meets none.
 */
const faults = [
  ["write", "signal=KILL"],
  ["write", "error=ENOSPC"],
  ["fdatasync", "signal=KILL"],
  ["fdatasync", "error=EIO"],
  ["fsync", "signal=KILL"],
  ["fsync", "error=EIO"],
  ["openat", "signal=KILL"],
  ["openat", "error=EMFILE"],
  ["rename", "signal=KILL"],
  ["rename", "error=EIO"],
] as const;

const order = ["pending", "in_progress", "completed"];

describe("fault at any system call of create, claim, change, complete and compact", () => {
  it.concurrent.for(faults)("%s %s: done or rejected, never half (B2)", async ([call, fault], test) => {
    const folder = temporaryFolder(test.onTestFinished);
    let hits = 0;
    for (let n = 1; ; n += isSoak ? 1 : 4) {
      const path = join(folder, String(n), "tasks.jsonl");
      const before = openList(path, { durability: "process" });
      await before.create({ subject: "before", description: "y".repeat(300) }, { name: "team-lead" });
      await before.close();
      const trace = join(folder, `${n}.trace`);
      const paths = [path, `${path}.next`, `${path}.compacting-1`, join(folder, String(n))].flatMap((name) => [
        "-P",
        name,
      ]);
      const inject = ["-e", `trace=${call}`, "-e", `inject=${call}:${fault}:when=${n}`];
      // The limit is so small that the list is compacted after the fourth record.
      const args = [
        "-f",
        ...onlyTheseStop(fault),
        "-qq",
        "-o",
        trace,
        ...paths,
        ...inject,
        process.execPath,
        program.path,
        path,
        "w",
        "2",
        "900",
      ];
      const said = await run("strace", args);
      const isKilled = !said.includes("closed");
      const isHit = isKilled || readFileSync(trace, "utf8").includes("INJECTED");

      const list = openList(path);
      const items = new Map((await list.list()).map((item) => [item.id, item]));
      expect(items.get(1)).toMatchObject({ subject: "before", status: "pending" });
      const told = new Map<number, string>();
      for (const line of said.filter((one) => one.startsWith("ok "))) {
        const [, id = "", state = ""] = line.split(" ");
        told.set(Number(id), state);
      }
      const rejected = said.filter((line) => line.startsWith("rejected"));
      for (const [id, state] of told) {
        const ahead = order.indexOf(items.get(id)?.status ?? "") - order.indexOf(state);
        expect(ahead).toBeGreaterThanOrEqual(0);
        // One step further only if that step was rejected or was never answered.
        if (ahead > 0) expect(isKilled || rejected.length > 0).toBe(true);
      }
      expect(items.size - 1 - told.size).toBeLessThanOrEqual(isKilled || rejected.length > 0 ? 1 : 0);
      // The list still works: nothing that was left behind blocks other members.
      expect(await list.releaseGone(async () => "it is gone")).toHaveLength(
        [...items.values()].filter(({ status }) => status === "in_progress").length,
      );
      expect(await list.claim(1, { name: "next" })).toMatchObject({ ok: true });
      for (let more = 0; more < 12; more++) await list.update(1, { metadata: { more } }, { name: "next" });
      await list.close();
      if (!isHit) {
        expect(rejected).toEqual([]);
        expect(said.filter((line) => line.startsWith("ok"))).toHaveLength(8);
        expect(existsSync(`${path}.next`)).toBe(false);
        break;
      }
      hits += 1;
      expect(rejected.filter((line) => !line.startsWith("rejected storage"))).toEqual([]);
    }
    expect(hits).toBeGreaterThan(0);
  });
});

function run(command: string, args: readonly string[]): Promise<string[]> {
  // strace counts calls per thread, so only one thread may do file work.
  const env = { ...process.env, UV_THREADPOOL_SIZE: "1" };
  return new Promise((resolve, reject) => {
    execFile(command, args, { env }, (_error, stdout, stderr) => {
      if (stderr === "" || stderr.includes("Killed")) resolve(stdout.split("\n").filter((line) => line !== ""));
      else reject(new Error(stderr));
    });
  });
}
