import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { createServer } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { CommandPlace } from "../../../src/protocol/index.ts";
import { walledFolder, type WalledFolder } from "../../support/tools/walled-folder.ts";

const look: CommandPlace = { walls: "look" };
const work: CommandPlace = { walls: "work" };

let place: WalledFolder;
beforeEach(() => {
  place = walledFolder();
});
afterEach(() => place.close());

describe("a folder that a command moves away", () => {
  it.each([
    ["a CI file", ".github/workflows", "ci.yml", {}],
    ["a file that a rule protects", "lib/gen", "a.js", { deny: ["Edit(lib/gen/**)"] }],
  ])("does not free the place of %s", async (_what, folder, name, rules) => {
    place.write(`work/${folder}/${name}`, "good\n");
    const outer = folder.split("/")[0];
    const script = `mv ${outer} old; mkdir -p ${folder}; echo evil > ${folder}/${name}`;
    expect((await place.open({ rules }).run(work, script)).exitCode).not.toBe(0);
    expect(readFileSync(place.path(`work/${folder}/${name}`), "utf8")).toBe("good\n");
  });

  it("does not show a file that a rule hides to the next command", async () => {
    place.write("work/conf/prod.json", "CANARY\n");
    place.write("work/conf/other.json", "{}\n");
    const walled = place.open({ rules: { deny: ["Read(conf/prod.json)"] } });
    await walled.run(work, "mv conf conf2; cp -r conf conf3; echo x > conf/new.txt");
    expect((await walled.run(work, "cat conf*/prod.json")).output).not.toContain("CANARY");
    expect(place.has("work/conf/new.txt")).toBe(true);
  });

  it("does not show a secret, also if its time is set back", async () => {
    place.write("work/deep/.env", "CANARY\n");
    place.write("work/sub/x", "x\n");
    const walled = place.open();
    await walled.run(look, "true");
    const times = ". sub".split(" ").map((name) => `stat -c %y ${name}`);
    await walled.run(
      work,
      `r=$(${times[0]}); s=$(${times[1]}); mv sub old; mv deep sub; touch -d "$s" sub; touch -d "$r" .`,
    );
    const { output } = await walled.run(look, "ls sub; cat sub/.env");
    expect([output.includes("CANARY"), place.has("work/sub/.env")]).toEqual([false, true]);
  });
});

describe("a folder that the user made writable", () => {
  it("opens nothing else when a command puts a link there", async () => {
    const walled = place.open({ writable: ["build"] });
    expect((await walled.run(work, `ln -s ${place.home} build`)).exitCode).toBe(0);
    expect((await walled.run(work, `echo x > ${place.home}/made`)).exitCode).not.toBe(0);
    expect(place.has("home/made")).toBe(false);
  });

  it("is open if it is a link from the start", async () => {
    mkdirSync(place.path("cache"));
    symlinkSync("../cache", place.path("work/build"));
    expect((await place.open({ writable: ["build"] }).run(work, "echo x > build/made")).exitCode).toBe(0);
    expect(place.has("cache/made")).toBe(true);
  });
});

it("a pipe in the place of a file stops no command", async () => {
  place.git("work", "init", "-q");
  const pipes = ["sub/.git", "other/.npmrc", "nested/.git/config"];
  place.write("work/nested/.git/HEAD", "ref: refs/heads/main\n");
  for (const folder of ["sub", "other"]) mkdirSync(place.path(`work/${folder}`));
  execFileSync(
    "mkfifo",
    pipes.map((name) => place.path(`work/${name}`)),
  );
  expect((await place.open().run(look, "cat a.txt")).output).toBe("a\n");
});

describe("sockets that lead outside", () => {
  it("the proxy for hosts cannot be used by a command that only looks", async () => {
    const server = createServer((_request, response) => response.end("REACHED"));
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as { port: number };
    const walled = place.open({ hosts: [`127.0.0.1:${port}`] });
    const fetch = `curl -s --noproxy '' -x http://127.0.0.1:3128 http://127.0.0.1:${port}/`;
    expect((await walled.run(work, fetch)).output).toBe("REACHED");
    const { output } = await walled.run(look, "ls -A /tmp /run/troupe-egress");
    server.close();
    expect(output).not.toContain("proxy\n");
    expect(output).not.toMatch(/egress\/?\n|\.troupe-egress/);
  });

  it("a socket that takes single messages is hidden", async () => {
    const path = place.path("outside/messages");
    const script = `use Socket; socket(S, PF_UNIX, SOCK_DGRAM, 0); bind(S, sockaddr_un($ARGV[0])) or die; $|=1; print "ready\\n"; recv(S, $m, 99, 0); print $m`;
    const child = spawn("/usr/bin/perl", ["-e", script, path], { stdio: ["ignore", "pipe", "inherit"] });
    await once(child.stdout, "data");
    const send = `perl -e 'use Socket; socket(S, PF_UNIX, SOCK_DGRAM, 0); send(S, "HEARD", 0, sockaddr_un($ARGV[0])) or die "refused"' ${path}`;
    const { exitCode } = await place.open().run(work, send);
    child.kill();
    await once(child, "exit");
    expect(exitCode).not.toBe(0);
  });
});
