import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openSandboxBench, type SandboxBench } from "../../support/tools/sandbox-bench.ts";

let bench: SandboxBench;
beforeAll(async () => {
  bench = await openSandboxBench();
  const problem = await bench.sandbox.problem();
  if (problem !== undefined) throw new Error(`these tests need a working bwrap: ${problem}`);
});
afterAll(() => bench.close());

const run = async (script: string) => {
  const { exitCode, output } = await bench.run(script);
  return `${exitCode}: ${output.replaceAll(bench.base, "BASE")}`;
};

describe("permitted work inside the sandbox", () => {
  it("runs in the working folder, with exit code and all output", async () => {
    expect(await run("pwd; cat a.txt; echo b > b.txt; mkdir -p c/d; mv b.txt c/d; cat c/d/b.txt; exit 7")).toBe(
      "7: BASE/work\na\nb",
    );
    expect(readFileSync(join(bench.work, "c/d/b.txt"), "utf8")).toBe("b\n");
  });

  it("reads the disk and its own outputs in the state folder", async () => {
    expect(await run("cat ../outside/file.txt; cat ~/.troupe/own/output.txt; ls -A ~/.troupe")).toBe(
      "0: outside\nown output\nown",
    );
  });

  it("has a private temporary folder that persists between commands", async () => {
    expect(await run("echo kept > /tmp/kept; echo $TMPDIR")).toBe("0: /tmp");
    expect(await run("cat /tmp/kept; ls -A /tmp | wc -l")).toMatch(/^0: kept\n\d$/);
  });

  it("sees the repository and runs programs, with a private loopback", async () => {
    const script = `git log --oneline | wc -l; git status --short | sort | head -3; $NODE -e '
      const s = require("node:http").createServer((q, r) => r.end("pong")).listen(0, "127.0.0.1", async () => {
        console.log(await (await fetch("http://127.0.0.1:" + s.address().port)).text()); process.exit(0) })'`;
    expect(await run(script)).toMatch(/^0: 1\n\?\? \.envrc\n[\s\S]*pong$/);
  });

  it("leaves no placeholder behind", async () => {
    await run("ls -a");
    expect(readdirSync(bench.work).sort()).toEqual([".envrc", ".git", ".vscode", "a.txt", "c"]);
  });
});
