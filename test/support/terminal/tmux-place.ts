import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, watch, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { createTmux, type Tmux } from "../../../src/team/backend/tmux/tmux.ts";

export interface TmuxPlace {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly tmux: Tmux;
  /** tmux as a user would run it. */
  user(args: readonly string[]): string;
  /** A tmux server of the user, with a Troupe that runs in its first pane. */
  inside(size?: {
    readonly width: number;
    readonly height: number;
  }): Promise<{ tmux: Tmux; socket: string; pane: string }>;
  sockets(): string[];
  file(name: string): string;
}

/** A private socket folder whose servers all end with the test. No other server is ever contacted. */
export async function tmuxPlace(more: Readonly<Record<string, string>> = {}): Promise<TmuxPlace> {
  const folder = mkdtempSync(join(tmpdir(), "troupe-tmux-test-"));
  const sockets = join(folder, `tmux-${process.getuid?.() ?? 0}`);
  const env = { PATH: process.env["PATH"] ?? "", HOME: folder, LANG: "C.UTF-8", TMUX_TMPDIR: folder, ...more };
  const list = () => (existsSync(sockets) ? readdirSync(sockets) : []);
  const run = (args: readonly string[]) => spawnSync("tmux", [...args], { env, cwd: folder, encoding: "utf8" });
  onTestFinished(() => {
    for (const name of list()) run(["-S", join(sockets, name), "kill-server"]);
    endWitnesses(join(folder, "work"));
    rmSync(folder, { recursive: true, force: true });
  });
  const user = (args: readonly string[]) => {
    const { status, stdout, stderr } = run(args);
    if (status !== 0) throw new Error(`tmux ${args.join(" ")}: ${stderr}`);
    return stdout.trim();
  };
  mkdirSync(join(folder, "work"));
  return {
    folder,
    env,
    user,
    tmux: await createTmux({ env, cwd: folder }),
    async inside(size = { width: 160, height: 48 }) {
      const command = ["-L", "users", "-f", "/dev/null", "new-session", "-d", "-s", "mine"];
      user([...command, "-x", String(size.width), "-y", String(size.height), "--", "/bin/sleep", "1000"]);
      const format = "#{socket_path},#{pid},0|#{pane_id}|#{socket_path}";
      const [tmuxVariable = "", pane = "", socket = ""] = user(["-L", "users", "display-message", "-p", format]).split(
        "|",
      );
      const tmux = await createTmux({ env: { ...env, TMUX: tmuxVariable, TMUX_PANE: pane }, cwd: folder });
      return { tmux, socket, pane };
    },
    sockets: list,
    file: (name) => join(folder, "work", name),
  };
}

/** A program that records how it was started, and then keeps running. */
export function witness(place: TmuxPlace, out: string, ...words: readonly string[]): [string, ...string[]] {
  const path = join(place.folder, "witness.mjs");
  if (!existsSync(path)) writeFileSync(path, witnessText);
  return [process.execPath, path, place.file(out), ...words];
}

const witnessText = `
import { renameSync, writeFileSync } from "node:fs";
const [, , out, ...words] = process.argv;
const { env, pid } = process;
writeFileSync(out + ".part", JSON.stringify({ pid, words, cwd: process.cwd(), env, shell: process.ppid }));
renameSync(out + ".part", out);
if (words[0] === "stubborn") for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => undefined);
if (words[0] !== "leave") setInterval(() => undefined, 1000);
`;

export interface Testimony {
  readonly pid: number;
  readonly words: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** The record of the witness, as soon as it exists. */
export async function testimony(place: TmuxPlace, out: string): Promise<Testimony> {
  const path = place.file(out);
  await new Promise<void>((resolve) => {
    const watcher = watch(join(place.folder, "work"), () => existsSync(path) && done());
    const done = () => {
      watcher.close();
      resolve();
    };
    if (existsSync(path)) done();
  });
  return JSON.parse(readFileSync(path, "utf8")) as Testimony;
}

/** A stubborn witness outlives its server when a test fails before ending it. */
function endWitnesses(work: string): void {
  for (const name of existsSync(work) ? readdirSync(work) : []) {
    const text = readFileSync(join(work, name), "utf8");
    if (!text.startsWith("{")) continue;
    const { pid } = JSON.parse(text) as Testimony;
    const commandLine = `/proc/${pid}/cmdline`;
    if (existsSync(commandLine) && readFileSync(commandLine, "utf8").includes(join(work, name)))
      process.kill(pid, "SIGKILL");
  }
}

/** Zombies do not count: they wait for a parent that is not ours. */
export function isRunning(program: { readonly pid: number } | undefined): boolean {
  if (program === undefined) throw new Error("it was over before anybody looked");
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${program.pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
