import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Envelope, Member } from "../../../src/protocol/index.ts";
import { createFileTeamStore, type StoredTeam } from "../../../src/store/index.ts";
import { isRunning, ports } from "../team/scripted-team.ts";
import { type Running, type Workplace, workplace } from "./workplace.ts";

/** A lead whose teammates are processes in panes of a private tmux server. */
export interface TeamWorkplace extends Workplace {
  /** A lead of the team `alpha` that reads commands as lines. */
  lead(options?: { readonly resume?: string; readonly mode?: string; readonly more?: readonly string[] }): Lead;
  files(): Promise<StoredTeam>;
  members(): Promise<readonly Member[]>;
  /** The processes of members, by name, as they publish them. */
  pids(): Readonly<Record<string, number>>;
  /** The sockets of the running tmux servers. */
  sockets(): readonly string[];
  /** Resolves once no process works for this workplace any more. */
  nobodyLeft(): Promise<void>;
}

export interface Lead extends Running {
  send(command: object): void;
  /** The first event that matches, past or future. */
  until(fits: (event: Envelope["event"], envelope: Envelope) => boolean): Promise<Envelope>;
  envelopes(): readonly Envelope[];
  session(): Promise<string>;
}

export function teamWorkplace(script: string, settings: object = {}): TeamWorkplace {
  const place = workplace();
  const tmux = join(place.home, "tmux");
  mkdirSync(tmux);
  const env = { TMUX_TMPDIR: tmux, LANG: "C.UTF-8" };
  place.write("s.mjs", script);
  place.write("settings.json", { teams: { backend: "tmux", shutdownMs: 5_000 }, ...settings });
  const home = join(place.home, ".troupe");
  const sockets = () => {
    const folder = join(tmux, `tmux-${process.getuid?.() ?? 0}`);
    return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
  };
  const working = () =>
    readdirSync("/proc").filter((pid) => /^\d+$/.test(pid) && Number(pid) !== process.pid && worksIn(pid, place.home));
  onTestFinished(() => {
    for (const socket of sockets())
      spawnSync("tmux", ["-S", socket, "kill-server"], { env: { ...process.env, ...env } });
    for (const pid of working()) if (isRunning(Number(pid))) process.kill(Number(pid), "SIGKILL");
  });
  const files = async () => {
    const team = await createFileTeamStore({ home, ...ports }).open("alpha");
    onTestFinished(() => team.close());
    return team;
  };
  return {
    ...place,
    sockets,
    files,
    lead: ({ resume, mode = "bypassPermissions", more = [] } = {}) => {
      const flags = ["--input-format", "stream-json", "--output-format", "stream-json", "--settings", "settings.json"];
      const again = resume === undefined ? [] : ["--resume", resume];
      const args = [
        "-p",
        "--team",
        "alpha",
        "--model",
        "scripted/s.mjs",
        "--permission-mode",
        mode,
        ...flags,
        ...again,
      ];
      return leadOf(place.start([...args, ...more], { env }));
    },
    members: async () => (await (await files()).record.read()).members.filter(({ name }) => name !== "team-lead"),
    pids() {
      const folder = join(home, "teams", "alpha", "presence");
      const said = readdirSync(folder).map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as Presence);
      return Object.fromEntries(said.map(({ name, owner }) => [name, owner.pid]));
    },
    async nobodyLeft() {
      while (working().some((pid) => isRunning(Number(pid)))) await new Promise((resolve) => setTimeout(resolve, 20));
    },
  };
}

interface Presence {
  readonly name: string;
  readonly owner: { readonly pid: number };
}

function worksIn(pid: string, home: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1").includes(`HOME=${home}`);
  } catch {
    return false; // gone, or another user's
  }
}

function leadOf(running: Running): Lead {
  let rest = "";
  const envelopes: Envelope[] = [];
  const lookers = new Set<(envelope: Envelope) => void>();
  running.child.stdout?.on("data", (chunk: string) => {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (!line.startsWith("{")) continue;
      const envelope = JSON.parse(line) as Envelope;
      if (!("event" in envelope)) continue;
      envelopes.push(envelope);
      for (const look of lookers) look(envelope);
    }
  });
  const until: Lead["until"] = (fits) =>
    new Promise((resolve, reject) => {
      const found = envelopes.find((envelope) => fits(envelope.event, envelope));
      if (found) return resolve(found);
      const look = (envelope: Envelope) => {
        if (!fits(envelope.event, envelope)) return;
        lookers.delete(look);
        resolve(envelope);
      };
      lookers.add(look);
      void running.done.then(({ stderr }) => reject(new Error(`the lead ended before: ${stderr}`)));
    });
  return {
    ...running,
    until,
    envelopes: () => envelopes,
    send: (command) => running.write(JSON.stringify(command)),
    session: async () => {
      const { event } = await until(({ type }) => type === "session.opened");
      return event.type === "session.opened" ? event.sessionId : "";
    },
  };
}

export const isIn = (name: string, state: string) => (event: Envelope["event"]) =>
  event.type === "member.changed" && event.name === name && event.state === state;

export const settled = (id: string) => (event: Envelope["event"]) =>
  event.type === "command.settled" && event.commandId === id;
