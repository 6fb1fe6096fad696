import { randomBytes, randomInt } from "node:crypto";
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { identifyProcess, type ProcessIdentity, processMarkVariable } from "../../../platform/index.ts";
import { type AgentColor, type TmuxPane, TroupeError } from "../../../protocol/index.ts";
import type { TmuxCommand, TmuxGroup } from "./encode-commands.ts";
import { type FoundPane, panesCommand, readPanes } from "./list-panes.ts";
import { ownBorder, paneStyleCommands, serverStyleCommands } from "./pane-style.ts";
import { positionPane } from "./position-pane.ts";
import type { Tmux, TmuxServer } from "./tmux.ts";

export interface PaneRequest {
  readonly placement: PanePlacement;
  readonly title: string;
  readonly color?: AgentColor;
  /** The absolute path of the program, and its arguments. No shell reads them. */
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** `own`: a server of Troupe, named by its socket. `user`: beside the pane that this program runs in. */
export type PanePlacement =
  | { readonly kind: "own"; readonly name: string; readonly label: string }
  | { readonly kind: "user" };

export interface OpenedPane {
  readonly pane: TmuxPane;
  /** The program in the pane, which leads a process group and a session. Undefined if it has already ended. */
  readonly program: ProcessIdentity | undefined;
}

/**
 * Starts a program in a new pane that carries its mark from the start. The pane opens as a window and is moved beside
 * the others. It stays a window if there is no room. The focus does not change.
 */
export async function openPane(tmux: Tmux, request: PaneRequest): Promise<OpenedPane> {
  await assertStartable(request);
  return tmux.runExclusive(async () => {
    const found = await makeWindow(tmux, request);
    const { serverPid, paneId, mark, socket } = found;
    const program = identifyProcess(found.pid);
    const anchor = request.placement.kind === "user" ? tmux.inside?.paneId : undefined;
    await positionPane(tmux, { socket, paneId, ...(anchor !== undefined && { anchor }) });
    return { pane: { socket, serverPid, paneId, mark }, program };
  });
}

/** tmux would silently start in another folder, or open a pane that closes at once. */
async function assertStartable({ argv, cwd }: PaneRequest): Promise<void> {
  const [program] = argv;
  if (!isAbsolute(program)) throw new TroupeError("team", `cannot run ${program} in a pane: its path is not absolute`);
  await access(program, constants.X_OK).catch((cause: unknown) => {
    throw new TroupeError("team", `cannot run ${program} in a pane: it is not an executable file`, { cause });
  });
  const folder = await stat(cwd).catch((cause: unknown) => {
    throw new TroupeError("team", `cannot open a pane in ${cwd}: the folder cannot be entered`, { cause });
  });
  if (!folder.isDirectory()) throw new TroupeError("team", `cannot open a pane in ${cwd}: it is not a folder`);
}

async function makeWindow(tmux: Tmux, request: PaneRequest): Promise<FoundPane> {
  let problem = "";
  for (let attempt = 0; attempt < attempts; attempt++) {
    const mark = randomBytes(16).toString("hex");
    const { on, groups, target } = await windowCommands(tmux, request, mark);
    const answer = await tmux.run(groups, on);
    const made = readPanes(answer.stdout).find((pane) => pane.mark === mark);
    if (made !== undefined) return made;
    problem = answer.problem;
    if (/index \d+ in use/.test(problem)) continue;
    // Either the server was ending, or it runs although the answer was lost. The window number is unique, so trying
    // again is safe.
    if (answer.noServer) continue;
    const socket = "name" in on ? tmux.socketPath(on.name) : on.socket;
    await tmux.run([[["kill-window", "-t", target]]], { socket });
    break;
  }
  throw new TroupeError("team", `tmux cannot open a pane: ${problem}. Fix tmux, or run teammates in-process.`);
}

const attempts = 5;

async function windowCommands(
  tmux: Tmux,
  request: PaneRequest,
  mark: string,
): Promise<{ readonly target: string; readonly on: TmuxServer; readonly groups: readonly TmuxGroup[] }> {
  if (request.placement.kind === "user") {
    const { socket, sessionId } = await userSession(tmux);
    const target = `${sessionId}:${freeIndex()}`;
    return { target, on: { socket }, groups: [...windowGroups(request, { target, mark }), [ownBorder(target)]] };
  }
  const { name, label } = request.placement;
  const target = `${ownSession}:${freeIndex()}`;
  // A session needs a window. This one is killed when another exists, and ends by itself if all else fails. It is not
  // made if the session exists.
  const holder = `holder-${mark}`;
  const size = ["-x", "200", "-y", "50"];
  const session = ["new-session", "-d", "-s", ownSession, "-n", holder, ...size, "-c", "/", "--", "/bin/sleep", "30"];
  return {
    target,
    on: { name, server: "start" },
    groups: [
      [session, ...serverStyleCommands(label)],
      ...windowGroups(request, { target, mark }),
      [["kill-window", "-t", `${ownSession}:=${holder}`]],
    ],
  };
}

/** The only session of a Troupe server. */
export const ownSession = "troupe";

function windowGroups(
  request: PaneRequest,
  window: { readonly target: string; readonly mark: string },
): readonly TmuxGroup[] {
  const { target, mark } = window;
  const env = { ...withoutTerminal(request.env), [processMarkVariable]: processMark(mark) };
  // tmux would pass a single word to a shell.
  const argv = request.argv.length === 1 ? ["/usr/bin/env", ...request.argv] : request.argv;
  const create: TmuxCommand = [
    "new-window",
    "-d",
    "-t",
    target,
    "-c",
    "#{@troupe_cwd}",
    ...Object.entries(env).flatMap(([name, value]) => ["-e", `${name}=${value}`]),
    "--",
    ...argv,
  ];
  const marked = ["set-option", "-p", "-t", target, "@troupe_id", mark];
  return [
    // tmux expands the folder as a format and would run `#(…)` in its name. It does not expand an inserted option
    // again.
    [["set-option", "-s", "@troupe_cwd", request.cwd], create, marked, panesCommand("-t", target)],
    [["set-option", "-su", "@troupe_cwd"]],
    paneStyleCommands(target, request),
  ];
}

/** The mark in the environment of every process that descends from a pane. */
export const processMark = (mark: string): string => `pane.${mark}.`;

/** Drops the variables that tmux sets for programs in its panes. */
function withoutTerminal(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !terminalVariables.test(name)));
}

const terminalVariables = /^(TERM|TERM_PROGRAM\w*|COLUMNS|LINES|TMUX|TMUX_PANE)$/;

/** Far above the numbers in use, so a window with this number is the one just made. */
const freeIndex = () => randomInt(1_000_000, 100_000_000);

async function userSession(tmux: Tmux): Promise<{ readonly socket: string; readonly sessionId: string }> {
  if (tmux.inside === undefined)
    throw new TroupeError(
      "team",
      "cannot open a pane beside this program: it does not run in tmux. Start it inside tmux, or use a Troupe server.",
    );
  const { socket, paneId } = tmux.inside;
  const answer = await tmux.run([[panesCommand("-t", paneId)]], { socket });
  const pane = readPanes(answer.stdout).find((one) => one.paneId === paneId);
  if (pane === undefined) throw new TroupeError("team", `cannot use the user's tmux on ${socket}: ${answer.problem}`);
  return { socket, sessionId: pane.sessionId };
}
