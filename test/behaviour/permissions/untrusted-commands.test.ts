import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { needStrace } from "../../support/processes/required-tools.ts";
import { adding, attacks } from "../../support/security/folder-attacks.ts";
import { program, workplace } from "../../support/cli/workplace.ts";

const commands = [
  ["doctor"],
  ["sessions", "list", "--all"],
  ["team", "list"],
  ["tasks", "list"],
  ["agents", "list"],
  ["skills", "list"],
  ["mcp", "list"],
  ["permissions"],
  ["worktree", "list"],
  ["land"],
  ["cost"],
  ["trust", "--list"],
];

test("no command runs a program of an untrusted folder, also if the PATH names it", () => {
  needStrace();
  const place = adding(workplace());
  const mark = join(place.home, "mark");
  for (const attack of attacks.filter(({ cwd, id }) => cwd === undefined && id !== "CVE-2026-40068"))
    if (!attack.what.includes("link to another")) attack.plant(place, mark);
  const programs = ["bash", "sh", "git", "tmux", "rg", "node", "bwrap", "unshare", "nats-server"];
  const folders = ["node_modules/.bin", "bin", "tools/deep/bin"];
  for (const folder of folders)
    for (const name of programs)
      chmodSync(place.write(`${folder}/${name}`, `#!/bin/sh\necho ${name} >> '${mark}'\n`), 0o755);
  const path = [...folders.map((folder) => join(place.cwd, folder)), ".", "bin", process.env["PATH"]].join(":");
  for (const [at, args] of commands.entries()) {
    const trace = join(place.home, `trace-${at}`);
    const strace = ["-f", "-qq", "-s", "4096", "-e", "trace=execve", "-o", trace];
    const run = spawnSync("strace", [...strace, process.execPath, program, ...args], {
      cwd: place.cwd,
      encoding: "utf8",
      env: { PATH: path, HOME: place.home, TROUPE_HOME: join(place.home, ".troupe") },
      timeout: 120_000,
    });
    expect(run.stderr, args.join(" ")).not.toMatch(/unknown command|bug in Troupe/i);
    const executed = [...readFileSync(trace, "utf8").matchAll(/execve\("([^"]*)"/g)].map(([, file = ""]) => file);
    expect(executed.length, args.join(" ")).toBeGreaterThan(0);
    for (const file of executed.slice(1)) {
      expect(file.startsWith("/"), `${args.join(" ")}: ${file}`).toBe(true);
      expect(file.startsWith(place.cwd), `${args.join(" ")}: ${file}`).toBe(false);
    }
  }
  expect(existsSync(mark)).toBe(false);
});
