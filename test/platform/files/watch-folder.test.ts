import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createFolderWatcher } from "../../../src/platform/index.ts";
import { buildProgram } from "../../support/processes/build-program.ts";
import { temporaryFolder } from "../../support/files/temporary-folder.ts";

/** Far beyond a test's duration, so that hints come only from system events, or only from rescans. */
const never = 1_000_000;
const often = 20;

function watcherOf(rescanMs: number) {
  const watcher = createFolderWatcher({ rescanMs });
  onTestFinished(() => watcher.close());
  return watcher;
}

const nextHint = (watcher: ReturnType<typeof createFolderWatcher>, path: string) =>
  new Promise<void>((resolve) => {
    const stop = watcher.follow(path, () => {
      stop();
      resolve();
    });
  });

describe("following files of a folder", () => {
  it("reports a change by system event, for that file alone", async () => {
    const folder = temporaryFolder();
    const watcher = watcherOf(never);
    let others = 0;
    watcher.follow(join(folder, "other"), () => (others += 1));
    const hint = nextHint(watcher, join(folder, "a"));
    appendFileSync(join(folder, "a"), "x");
    await hint;
    expect(others).toBe(0);
  });

  it("reports everything in a followed folder, also files created later", async () => {
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

  it("notifies all followers of the same file and none that stopped", async () => {
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

  it("still notifies after the file was replaced by rename", async () => {
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

  it("notifies by rescan alone of a folder that was missing, removed and created again", async () => {
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

  it("uses system events again for a folder that was created again", async () => {
    const folder = join(temporaryFolder(), "again");
    mkdirSync(folder);
    const path = join(folder, "a");
    const watcher = watcherOf(200);
    watcher.follow(join(folder, "kept"), () => undefined);
    renameSync(folder, `${folder}-old`);
    mkdirSync(folder);
    // Two rescans: the first moves the watch to the new folder.
    await nextHint(watcher, path);
    await nextHint(watcher, path);
    const hint = nextHint(watcher, path);
    appendFileSync(path, "x");
    await hint;
  });
});

describe("following process", () => {
  it("exits when idle, stays alive while held, and works without watches", async () => {
    const program = await buildProgram("follow-file.ts");
    onTestFinished(() => program.remove());
    const path = join(temporaryFolder(), "a");
    expect(await run(process.execPath, [program.path, path, "free"])).toBe("following\n");
    // The limit is below the number of open files: no watch can be created, but the rescan still notifies.
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
