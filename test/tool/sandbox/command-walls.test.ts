import { readFileSync, symlinkSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CommandPlace } from "../../../src/protocol/index.ts";
import { walledFolder, type Walled, type WalledFolder } from "../../support/tools/walled-folder.ts";

let place: WalledFolder;
let server: Server;
let port = 0;
let heard = 0;

beforeAll(async () => {
  place = walledFolder();
  server = createServer((socket) => {
    heard += 1;
    socket.on("error", () => socket.destroy()).end("REACHED\n");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as { port: number }).port;
  place.write("work/.env", "KEY=CANARY\n");
  place.write("work/deep/er/.env", "KEY=CANARY\n");
  place.write("work/private/notes.txt", "CANARY\n");
  place.write("outside/denied.txt", "CANARY\n");
  place.write("work/vendor/lib.js", "lib\n");
  place.write("work/sub/.vscode/tasks.json", "{}\n");
  symlinkSync(".", place.path("work/l"));
  symlinkSync("../outside", place.path("work/out"));
  symlinkSync(".env", place.path("work/settings"));
  place.git("work", "init", "-q");
  place.git("work", "add", "a.txt");
  place.git("work", "commit", "-qm", "one");
});
afterAll(async () => {
  server.close();
  await place.close();
});

const rules = { deny: ["Read(private/**)", "Read(//BASE/outside/denied.txt)", "Edit(vendor/**)"] };
const openWith = () =>
  place.open({ rules: { deny: rules.deny.map((rule) => rule.replace("//BASE", `/${place.base}`)) } });

const look: CommandPlace = { walls: "look" };
const work: CommandPlace = { walls: "work" };
const places = { look, work, "work with git": { walls: "work", git: true } } as const;

describe.each(Object.entries(places))("in the walls %s", (_name, where) => {
  let walled: Walled;
  beforeAll(() => {
    walled = openWith();
  });

  it.each([
    "echo x > ../outside/file.txt",
    "echo x > ../made",
    "echo x > ~/made",
    "echo x > out/made",
    "echo x > l/l/l/../../../../made",
    "echo x >> .git/config",
    "echo x > .git/hooks/post-checkout",
    "git config core.fsmonitor ./x",
    "mkdir -p .claude && echo x > .claude/settings.json",
    "mkdir -p .troupe && echo x > .troupe/settings.json",
    "echo x > .mcp.json",
    "echo x > sub/.vscode/tasks.json",
    "echo x > vendor/lib.js",
  ])("cannot write: %s", async (script) => {
    expect((await walled.run(where, script)).exitCode).not.toBe(0);
    expect(readFileSync(place.path("outside/file.txt"), "utf8")).toBe("outside\n");
    expect(readFileSync(place.path("work/vendor/lib.js"), "utf8")).toBe("lib\n");
    expect(readFileSync(place.path("work/sub/.vscode/tasks.json"), "utf8")).toBe("{}\n");
    for (const name of ["made", "home/made", "outside/made", "work/.claude", "work/.troupe", "work/.mcp.json"])
      expect([name, place.has(name)]).toEqual([name, false]);
    expect(place.has("work/.git/hooks/post-checkout")).toBe(false);
  });

  it.each([
    "cat .env",
    "cat .e*",
    "cat deep/er/.env",
    "cat settings",
    "cat l/l/.env",
    "cat private/notes.txt",
    "grep -r CANARY .",
    "cat ../outside/denied.txt",
    "cat out/denied.txt",
    "cat ~/.ssh/id_ed25519",
    "cat /proc/self/root/$PWD/.env",
    "cp .env /tmp/x && cat /tmp/x",
    "ln .env /tmp/y; ln .env z; cat /tmp/y z",
    "mv .env other; cat other",
  ])("cannot read: %s", async (script) => {
    expect((await walled.run(where, script)).output).not.toContain("CANARY");
  });

  it("cannot reach this machine", async () => {
    const { output } = await walled.run(where, `exec 9<>/dev/tcp/127.0.0.1/${port} && cat <&9`);
    expect([output.includes("REACHED"), heard]).toEqual([false, 0]);
  });

  it("has a private /tmp", async () => {
    expect(await walled.run(where, "echo x > /tmp/a && cat /tmp/a")).toEqual({ exitCode: 0, output: "x\n" });
  });
});

it("only the walls for work let a command write in the working folder", async () => {
  const walled = openWith();
  expect((await walled.run(look, "echo x > made.txt")).exitCode).not.toBe(0);
  expect(place.has("work/made.txt")).toBe(false);
  expect((await walled.run(work, "echo x > made.txt")).exitCode).toBe(0);
  expect(place.has("work/made.txt")).toBe(true);
});

it("git writes its data only where that was allowed, and never its hooks and settings", async () => {
  const walled = openWith();
  const commit = "git add made.txt && git commit -qm two";
  expect((await walled.run(work, `echo x > made.txt; ${commit}`)).exitCode).not.toBe(0);
  expect(await walled.run({ walls: "work", git: true }, commit)).toEqual({ exitCode: 0, output: "" });
  expect(place.git("work", "log", "--format=%s")).toBe("two\none\n");
});

it("git obeys no other settings after a command that may write its data", async () => {
  const walled = openWith();
  const withGit = { walls: "work", git: true } as const;
  const script = "mkdir -p evil; echo ../evil > .git/commondir; rm -f .git/commondir; echo ../evil > .git/commondir";
  expect((await walled.run(withGit, script)).exitCode).not.toBe(0);
  expect(place.has("work/.git/commondir")).toBe(false);
  place.write("work/.git/commondir", "../.git\n");
  expect(await walled.run(withGit, "git status --short a.txt; git branch --show-current")).toEqual({
    exitCode: 0,
    output: place.git("work", "branch", "--show-current"),
  });
  expect(place.has("work/.git/commondir")).toBe(false);
});

it("a rule that allows to read a secret shows it", async () => {
  const walled = place.open({ rules: { allow: ["Read(.env)"] } });
  expect((await walled.run(look, "cat .env")).output).toBe("KEY=CANARY\n");
  expect((await walled.run(look, "cat deep/er/.env")).output).toBe("KEY=CANARY\n");
});

it("a person can allow the network for one command", async () => {
  const walled = openWith();
  const { output } = await walled.run(
    { walls: "work", network: true },
    `exec 9<>/dev/tcp/127.0.0.1/${port} && cat <&9; echo x > ../made`,
  );
  expect(output).toContain("REACHED");
  expect(place.has("made")).toBe(false);
});

it("a secret that appears later is hidden, too", async () => {
  const walled = openWith();
  await walled.run(look, "true");
  place.write("work/later/.env", "KEY=CANARY\n");
  expect((await walled.run(look, "cat later/.env")).output).not.toContain("CANARY");
});
