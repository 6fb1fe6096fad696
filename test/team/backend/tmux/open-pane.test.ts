import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { attachHint } from "../../../../src/team/backend/tmux/attach-hint.ts";
import { closePane } from "../../../../src/team/backend/tmux/close-pane.ts";
import { closeServer } from "../../../../src/team/backend/tmux/close-server.ts";
import { openPane } from "../../../../src/team/backend/tmux/open-pane.ts";
import { socketNameFor } from "../../../../src/team/backend/tmux/own-socket.ts";
import { paneState } from "../../../../src/team/backend/tmux/pane-state.ts";
import { createTmux } from "../../../../src/team/backend/tmux/tmux.ts";
import { isRunning, testimony, tmuxPlace, witness } from "../../../support/terminal/tmux-place.ts";

const own = { kind: "own", name: "troupe-test", label: "a session" } as const;

const awkward = [
  "two words",
  `"double" and 'single'`,
  "$HOME ${HOME} $(id) `id`",
  "first\n   second\n\n# third",
  "trailing;",
  ";",
  "\\; \\ \\\\ \\012",
  "~ ~root * ? [a] {b,c} !1 %if #{pid} #(id) #[fg=red] ##",
  "grüße 漢字 \u{1f600} e\u0301",
  "-t",
  "--",
  "",
  "\t tab",
  "x".repeat(100_000),
];

test("eight at once, in a shell that is slow to start: every program gets exactly its arguments, and no shell is in between", async () => {
  const place = await tmuxPlace();
  const slow = join(place.folder, "slow-shell");
  writeFileSync(slow, `#!/bin/sh\ntouch ${place.file("shell-was-here")}\nsleep 5\nexec /bin/sh "$@"\n`);
  chmodSync(slow, 0o755);
  const tmux = await createTmux({ env: { ...place.env, SHELL: slow, ENV: slow, BASH_ENV: slow }, cwd: place.folder });
  const names = Array.from({ length: 8 }, (_, at) => `agent-${at}`);
  const opened = await Promise.all(
    names.map((name) =>
      openPane(tmux, {
        placement: own,
        title: name,
        argv: witness(place, name, name, ...awkward),
        cwd: place.folder,
        env: { ...place.env, NAME: name, SHELL: slow },
      }),
    ),
  );
  for (const [at, name] of names.entries()) {
    const seen = await testimony(place, name);
    expect(seen.words).toEqual([name, ...awkward]);
    expect(seen.pid).toBe(opened[at]?.program?.pid);
    expect(seen.env["NAME"]).toBe(name);
  }
  expect(existsSync(place.file("shell-was-here"))).toBe(false);
  expect(new Set(opened.map(({ pane }) => pane.paneId)).size).toBe(8);
  expect(new Set(opened.map(({ pane }) => pane.mark)).size).toBe(8);
  expect(new Set(opened.map(({ pane }) => pane.serverPid)).size).toBe(1);
  // Nothing but them: what held the session open is gone.
  const listed = place.user(["-L", own.name, "list-panes", "-a", "-F", "#{pane_id} #{@troupe_id}"]).split("\n").sort();
  expect(listed).toEqual(opened.map(({ pane }) => `${pane.paneId} ${pane.mark}`).sort());
  expect(await closeServer(tmux, place.tmux.socketPath(own.name))).toBe("ended");
  expect(place.sockets()).toEqual([]);
  expect(opened.filter(({ program }) => isRunning(program))).toEqual([]);
});

test("the environment arrives as it is, and no key is left with the server or in a list of processes", async () => {
  const place = await tmuxPlace();
  const env = {
    ...place.env,
    SECRET_KEY: "sk-4711",
    EMPTY: "",
    AWKWARD: awkward[3] ?? "",
    TERM: "dumb",
    TMUX_PANE: "%77",
  };
  const tmux = await createTmux({ env, cwd: place.folder });
  const { pane } = await openPane(tmux, {
    placement: own,
    title: "a",
    argv: witness(place, "a"),
    cwd: place.folder,
    env,
  });
  const seen = await testimony(place, "a");
  expect(seen.env).toMatchObject({ SECRET_KEY: "sk-4711", EMPTY: "", AWKWARD: env.AWKWARD, TMUX_PANE: pane.paneId });
  expect(seen.env["TERM"]).not.toBe("dumb");
  expect(place.user(["-L", own.name, "show-environment", "-g"])).not.toContain("sk-4711");
  expect(place.user(["-L", own.name, "show-environment", "-t", "troupe"])).not.toContain("sk-4711");
  expect(place.user(["-L", own.name, "display-message", "-p", "#{pane_start_command}"])).not.toContain("sk-4711");
});

test("names of folders and agents are text, whatever they hold", async () => {
  const place = await tmuxPlace();
  const cwd = join(place.folder, "a #(touch bait) #[fg=red] ##{pid} $HOME 'x' ; b");
  mkdirSync(cwd);
  const title = "#(touch bait) #{pid} #[bold]\u001b]2;x\u0007 a\nb \u202e漢";
  const { pane } = await openPane(place.tmux, {
    placement: own,
    title,
    argv: witness(place, "a"),
    cwd,
    env: place.env,
  });
  expect((await testimony(place, "a")).cwd).toBe(cwd);
  const shown = place.user([
    "-L",
    own.name,
    "display-message",
    "-p",
    "-t",
    pane.paneId,
    "#{pane_title}|#{window_name}",
  ]);
  expect(shown).toBe(Array(2).fill("(touch bait) {pid} [bold] ]2;x a b 漢").join("|"));
  expect([place.folder, cwd].filter((folder) => existsSync(join(folder, "bait")))).toEqual([]);
});

test("a program of a single word is not given to a shell either", async () => {
  const place = await tmuxPlace();
  const program = join(place.folder, "one; touch bait");
  writeFileSync(program, `#!/bin/sh\nexec sleep 100\n`);
  chmodSync(program, 0o755);
  const { program: running, pane } = await openPane(place.tmux, {
    placement: own,
    title: "a",
    argv: [program],
    cwd: place.folder,
    env: place.env,
  });
  expect(await paneState(place.tmux, pane)).toBe("there");
  expect(isRunning(running)).toBe(true);
  expect(await closePane(place.tmux, pane)).toBe("there");
});

test("what cannot be started says so and leaves nothing", async () => {
  const place = await tmuxPlace();
  const request = { placement: own, title: "a", argv: witness(place, "a"), cwd: place.folder, env: place.env };
  const none = join(place.folder, "none");
  await expect(openPane(place.tmux, { ...request, argv: [none, "x"] })).rejects.toMatchObject({ code: "team" });
  await expect(openPane(place.tmux, { ...request, argv: ["node", "x"] })).rejects.toThrow("not absolute");
  await expect(openPane(place.tmux, { ...request, cwd: none })).rejects.toThrow("cannot be entered");
  await expect(openPane(place.tmux, { ...request, env: { A: "a\0b" } })).rejects.toThrow("zero byte");
  await expect(openPane(place.tmux, { ...request, placement: { kind: "user" } })).rejects.toThrow(
    "cannot open a pane beside this program: it does not run in tmux. Start it inside tmux, or use a Troupe server.",
  );
  expect(place.sockets()).toEqual([]);
});

test("no tmux, one that is too old, one that does not run: an error that the caller can act on", async () => {
  const place = await tmuxPlace();
  const fake = (text: string) => {
    const folder = join(place.folder, `bin-${Math.abs(text.length)}`);
    mkdirSync(folder);
    writeFileSync(join(folder, "tmux"), `#!/bin/sh\n${text}\n`);
    chmodSync(join(folder, "tmux"), 0o755);
    return createTmux({ env: { ...place.env, PATH: folder }, cwd: place.folder });
  };
  const empty = createTmux({ env: { ...place.env, PATH: place.folder }, cwd: place.folder });
  await expect(empty).rejects.toMatchObject({
    code: "team",
    message: expect.stringContaining("not installed") as string,
  });
  await expect(fake("echo tmux 2.9a")).rejects.toThrow("tmux 2.9a is too old");
  await expect(fake("echo broken library >&2; exit 127")).rejects.toThrow("broken library");
});

test("tmux 3.0, which reads no commands from its input, is told by a file, and none is left", async () => {
  const place = await tmuxPlace();
  const folder = join(place.folder, "bin");
  const temporary = join(place.folder, "t[m]p");
  mkdirSync(folder);
  mkdirSync(temporary);
  vi.stubEnv("TMPDIR", temporary);
  onTestFinished(() => void vi.unstubAllEnvs());
  const real = place.tmux.path;
  const refuse = `for word in "$@"; do [ "$word" = - ] && exit 3; done`;
  writeFileSync(
    join(folder, "tmux"),
    `#!/bin/sh\n[ "$1" = -V ] && exec echo tmux 3.0a\n${refuse}\nexec ${real} "$@"\n`,
  );
  chmodSync(join(folder, "tmux"), 0o755);
  const tmux = await createTmux({ env: { ...place.env, PATH: `${folder}:${place.env["PATH"]}` }, cwd: place.folder });
  expect(tmux.version).toBe("3.0a");
  const argv = witness(place, "a", ...awkward);
  const { pane } = await openPane(tmux, { placement: own, title: "a", argv, cwd: place.folder, env: place.env });
  expect((await testimony(place, "a")).words).toEqual(awkward);
  expect(await closePane(tmux, pane)).toBe("there");
  expect(place.sockets()).toEqual([]);
  expect(readdirSync(temporary)).toEqual([]);
});

test("what a user types to look at a pane", async () => {
  const place = await tmuxPlace();
  const argv = witness(place, "a");
  const { pane } = await openPane(place.tmux, { placement: own, title: "a", argv, cwd: place.folder, env: place.env });
  expect(attachHint(place.tmux, pane)).toBe("tmux -L troupe-test attach -t troupe");
  const elsewhere = await createTmux({ env: { ...place.env, TMUX_TMPDIR: "/tmp" }, cwd: place.folder });
  expect(attachHint(elsewhere, pane)).toBe(`tmux -S ${pane.socket} attach -t troupe`);
  expect(socketNameFor("ses_01jcxyz0000000abcdefghijkm")).toBe(
    "troupe-abcdefghijkm".replace("abcdefghijkm", "cdefghijkm"),
  );
});
