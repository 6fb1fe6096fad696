import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createFolderWatcher } from "../../../src/platform/index.ts";
import { buildProgram } from "../../support/processes/build-program.ts";
import { temporaryFolder } from "../../support/files/temporary-folder.ts";

/** No rescan within a test, so that what comes is the system's own notice; or nothing but rescans. */
const never = 1_000_000;
const often = 20;

function watcherOf(rescanMs: number) {
  const watcher = createFolderWatcher({ rescanMs });
  onTestFinished(() => watcher.close());
  return watcher;
}

/** Resolves at the next hint for the file. */
const nextHint = (watcher: ReturnType<typeof createFolderWatcher>, path: string) =>
  new Promise<void>((resolve) => {
    const stop = watcher.follow(path, () => {
      stop();
      resolve();
    });
  });

describe("following files of a folder", () => {
  it("tells of a change by the system's own notice, for that file alone", async () => {
    const folder = temporaryFolder();
    const watcher = watcherOf(never);
    let others = 0;
    watcher.follow(join(folder, "other"), () => (others += 1));
    const hint = nextHint(watcher, join(folder, "a"));
    appendFileSync(join(folder, "a"), "x");
    await hint;
    expect(others).toBe(0);
  });

  it("tells who follows a folder of whatever is in it, made later too", async () => {
    const folder = join(temporaryFolder(), "later");
    const watcher = watcherOf(often);
    let stop: () => void = () => undefined;
    const told = (after: () => void) =>
      new Promise<void>((resolve) => {
        stop();
        stop = watcher.followFolder(folder, resolve);
        after();
      });
    await told(() => undefined);
    await told(() => mkdirSync(folder));
    const quiet = watcherOf(never);
    const hint = new Promise<void>((resolve) => quiet.followFolder(folder, resolve));
    appendFileSync(join(folder, "anything"), "x");
    await hint;
  });

  it("tells all who follow the same file, and nobody who stopped", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "a");
    const watcher = watcherOf(never);
    let stopped = 0;
    watcher.follow(path, () => (stopped += 1))();
    const hints = [nextHint(watcher, path), nextHint(watcher, path), nextHint(watcher, path)];
    appendFileSync(path, "x");
    await Promise.all(hints);
    expect(stopped).toBe(0);
  });

  it("goes on telling after the file was replaced by rename", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "a");
    const watcher = watcherOf(never);
    for (let round = 0; round < 5; round++) {
      const hint = nextHint(watcher, path);
      writeFileSync(join(folder, "b"), "x");
      renameSync(join(folder, "b"), path);
      await hint;
    }
  });

  it("tells by the rescan alone of a folder that was not there, was removed, and was made again", async () => {
    const folder = join(temporaryFolder(), "later");
    const watcher = watcherOf(often);
    const seen: string[] = [];
    watcher.follow(join(folder, "kept"), () => seen.push("hint"));
    await nextHint(watcher, join(folder, "a"));
    mkdirSync(folder);
    await nextHint(watcher, join(folder, "a"));
    rmSync(folder, { recursive: true });
    await nextHint(watcher, join(folder, "a"));
    mkdirSync(folder);
    await nextHint(watcher, join(folder, "a"));
    expect(seen.length).toBeGreaterThan(0);
  });

  it("watches a folder that was made again with the system's own notices too", async () => {
    const folder = join(temporaryFolder(), "again");
    mkdirSync(folder);
    const path = join(folder, "a");
    const watcher = watcherOf(200);
    watcher.follow(join(folder, "kept"), () => undefined);
    renameSync(folder, `${folder}-old`);
    mkdirSync(folder);
    // Two rescans: at the first the watch was moved to the new folder.
    await nextHint(watcher, path);
    await nextHint(watcher, path);
    const hint = nextHint(watcher, path);
    appendFileSync(path, "x");
    await hint;
  });
});

describe("a process that follows", () => {
  it("ends when it has nothing else to do, waits while somebody holds, and does without watches", async () => {
    const program = await buildProgram("follow-file.ts");
    onTestFinished(() => program.remove());
    const path = join(temporaryFolder(), "a");
    expect(await run(process.execPath, [program.path, path, "free"])).toBe("following\n");
    // A limit below what is open already: no watch can be had, and the rescan tells all the same.
    const limited = ["-c", 'ulimit -n 20; exec "$0" "$@"', process.execPath, program.path, path, "starved"];
    expect(await run("sh", limited)).toBe("no watch\nhint\n");
    expect(await run(process.execPath, [program.path, path, "held"])).toBe("following\nhint\n");
  });
});

async function run(command: string, args: readonly string[]): Promise<string> {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  child.stdout.on("data", (data: Buffer) => (said += data.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  expect(code).toBe(0);
  return said;
}
