import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { realPathSync } from "../../../src/platform/index.ts";
import { openToolBench, type ToolBench } from "../../support/tools/tool-bench.ts";

let bench: ToolBench;
let outside: string;
let swapper: ChildProcess | undefined;

beforeEach(() => {
  bench = openToolBench();
  outside = join(dirname(bench.folder), "outside");
  mkdirSync(outside);
  writeFileSync(join(outside, "secret.txt"), "SECRET\n");
});
afterEach(async () => {
  swapper?.kill("SIGKILL");
  swapper = undefined;
  await bench.close();
});

/** Calls a tool as the session does: with the real path that the policy judged. */
async function callJudged(tool: string, input: Record<string, unknown>, judged: string) {
  Object.assign(bench.context, { judgedPath: judged });
  try {
    const outcome = await bench.call(tool, input);
    return `${outcome.outcome}: ${bench.text(outcome)}`;
  } finally {
    Object.assign(bench.context, { judgedPath: undefined });
  }
}

const outsideAsBefore = () => {
  expect(readdirSync(outside)).toEqual(["secret.txt"]);
  expect(readFileSync(join(outside, "secret.txt"), "utf8")).toBe("SECRET\n");
};

describe("tool opens exactly the path that was judged", () => {
  it("refuses a file or folder that was replaced by a link", async () => {
    bench.write("dir/secret.txt", "mine\n");
    bench.write("file.txt", "mine\n");
    const judged = { dir: bench.path("dir"), inDir: bench.path("dir/secret.txt"), file: bench.path("file.txt") };
    await callJudged("Read", { file_path: "dir/secret.txt" }, judged.inDir);
    await callJudged("Read", { file_path: "file.txt" }, judged.file);
    rmSync(bench.path("dir"), { recursive: true });
    rmSync(bench.path("file.txt"));
    symlinkSync(outside, bench.path("dir"));
    symlinkSync(join(outside, "secret.txt"), bench.path("file.txt"));
    const edit = { old_string: "SECRET", new_string: "x" };
    const said = [
      await callJudged("Read", { file_path: "dir/secret.txt" }, judged.inDir),
      await callJudged("Read", { file_path: "file.txt" }, judged.file),
      await callJudged("Write", { file_path: "dir/secret.txt", content: "x" }, judged.inDir),
      await callJudged("Write", { file_path: "dir/new.txt", content: "x" }, bench.path("dir/new.txt")),
      await callJudged("Write", { file_path: "file.txt", content: "x" }, judged.file),
      await callJudged("Edit", { file_path: "file.txt", ...edit }, judged.file),
      await callJudged("Edit", { file_path: "dir/secret.txt", ...edit }, judged.inDir),
      await callJudged("Grep", { pattern: "SECRET", path: "dir" }, judged.dir),
      await callJudged("Grep", { pattern: "SECRET", path: "file.txt" }, judged.file),
      await callJudged("Glob", { pattern: "*.txt", path: "dir" }, judged.dir),
    ];
    for (const line of said) {
      expect(line).toMatch(/^failed: /);
      expect(line).toContain(
        ": a part of this path was replaced by a link or moved while it was being opened. Check where the path leads now, and call again.",
      );
    }
    outsideAsBefore();
  });

  it("opens an allowed path outside the project, also through a link", async () => {
    symlinkSync(join(outside, "secret.txt"), bench.path("link"));
    const judged = realpathSync(bench.path("link"));
    expect(await callJudged("Read", { file_path: "link" }, judged)).toBe("ok:      1\tSECRET");
    expect(await callJudged("Write", { file_path: "link", content: "told\n" }, judged)).toMatch(/^ok/);
    expect(readFileSync(join(outside, "secret.txt"), "utf8")).toBe("told\n");
    expect(await callJudged("Grep", { pattern: "told", path: "link" }, judged)).toBe("ok: link");
  });

  it("creates folders only inside the judged folder", async () => {
    const judged = realPathSync(bench.path("new/deep/a.txt"));
    symlinkSync(outside, bench.path("new"));
    expect(await callJudged("Write", { file_path: "new/deep/a.txt", content: "x" }, judged)).toMatch(
      /^failed: Write failed: .*replaced by a link/,
    );
    outsideAsBefore();
  });
});

it("command that reports another folder does not move the next one", async () => {
  symlinkSync(outside, bench.path("link"));
  const said = bench.text(await bench.call("Bash", { command: `trap - EXIT; echo "$PWD/link" >&29` }));
  expect(said).toContain("The next command starts in DIR again.");
  expect(bench.text(await bench.call("Bash", { command: "pwd" }))).toBe("DIR");
});

describe("link swapped 10,000 times", () => {
  it("leads no tool outside", async () => {
    bench.write("dir/secret.txt", "mine\n");
    bench.write("file.txt", "mine\n");
    const folder = bench.folder;
    const program = new URL("../../support/programs/swap-links.mjs", import.meta.url).pathname;
    const child = spawn(process.execPath, [program, folder, outside, "10000"], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    swapper = child;
    const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
    const swapping = { running: true };
    void ended.then(() => {
      swapping.running = false;
    });
    await new Promise((resolve) => child.stdout.once("data", resolve));

    const counts: Record<string, number> = {};
    for (let round = 0; swapping.running; round++) {
      const [name, judged] =
        round % 2 === 0 ? ["dir/secret.txt", join(folder, "dir/secret.txt")] : ["file.txt", join(folder, "file.txt")];
      const said = [
        await callJudged("Read", { file_path: name }, judged),
        await callJudged("Edit", { file_path: name, old_string: "e", new_string: "e+" }, judged),
        await callJudged("Write", { file_path: name, content: `mine ${round}\n` }, judged),
        await callJudged(
          "Write",
          { file_path: `dir/new-${round}.txt`, content: "x" },
          join(folder, `dir/new-${round}.txt`),
        ),
      ];
      for (const [index, line] of said.entries()) {
        expect(line).not.toContain("SECRET");
        const key = `${index} ${line.startsWith("ok") ? "ok" : "refused"}`;
        counts[key] = (counts[key] ?? 0) + 1;
      }
    }
    expect(await ended).toBe(0);
    outsideAsBefore();
    // Both happened: some calls succeeded and some met a link.
    expect(counts["0 ok"]).toBeGreaterThan(10);
    expect(counts["0 refused"]).toBeGreaterThan(10);
    expect(counts["3 ok"]).toBeGreaterThan(10);
  });
});
