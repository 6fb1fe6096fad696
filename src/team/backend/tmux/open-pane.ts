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
  /** The program, by its absolute path, and its arguments. No shell reads them. */
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** `own`: a server of Troupe's own, by the name of its socket. `user`: beside the pane that this program runs in. */
export type PanePlacement =
  | { readonly kind: "own"; readonly name: string; readonly label: string }
  | { readonly kind: "user" };

export interface OpenedPane {
  readonly pane: TmuxPane;
  /** The program in it; it leads a process group and a session. Undefined if it is over already. */
  readonly program: ProcessIdentity | undefined;
}

/**
 * Starts a program in a pane of its own. The pane has its mark from the moment it is there. It is made as a window and
 * then put beside the others; where there is no room it stays a window. The focus stays where it is.
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

/** tmux would quietly start in another folder, or show a pane that is gone at once. */
async function assertStartable({ argv, cwd }: PaneRequest): Promise<void> {
  const [program] = argv;
  if (!isAbsolute(program))
    throw new TroupeError("team", `${program} cannot be run in a pane: its path is not absolute`);
  await access(program, constants.X_OK).catch((cause: unknown) => {
    throw new TroupeError("team", `${program} cannot be run in a pane: it is not an executable file`, { cause });
  });
  const folder = await stat(cwd).catch((cause: unknown) => {
    throw new TroupeError("team", `no pane can be opened in ${cwd}: it cannot be entered`, { cause });
  });
  if (!folder.isDirectory()) throw new TroupeError("team", `no pane can be opened in ${cwd}: it is not a folder`);
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
    // The server was just ending; or it is there although nobody was told of it, and nothing else has that number.
    if (answer.noServer) continue;
    const socket = "name" in on ? tmux.socketPath(on.name) : on.socket;
    await tmux.run([[["kill-window", "-t", target]]], { socket });
    break;
  }
  throw new TroupeError("team", `tmux could not open a pane: ${problem}; teammates can also run in-process`);
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
  // A session cannot be without a window. This one goes as soon as there is another, and by itself if all else fails;
  // where the session is there already, it is never made.
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

/** The one session of a server of ours. */
export const ownSession = "troupe";

function windowGroups(
  request: PaneRequest,
  window: { readonly target: string; readonly mark: string },
): readonly TmuxGroup[] {
  const { target, mark } = window;
  const env = { ...withoutTerminal(request.env), [processMarkVariable]: processMark(mark) };
  // A single word would be given to a shell.
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
    // A folder is a format to tmux, which would run `#(…)` in its name; what a format puts in is left as it is.
    [["set-option", "-s", "@troupe_cwd", request.cwd], create, marked, panesCommand("-t", target)],
    [["set-option", "-su", "@troupe_cwd"]],
    paneStyleCommands(target, request),
  ];
}

/** What every process that comes of a pane carries in its environment. */
export const processMark = (mark: string): string => `pane.${mark}.`;

/** What tmux itself tells the programs in its panes. */
function withoutTerminal(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !terminalVariables.test(name)));
}

const terminalVariables = /^(TERM|TERM_PROGRAM\w*|COLUMNS|LINES|TMUX|TMUX_PANE)$/;

/** Far above what anybody uses: a window by its number is certainly the one just made. */
const freeIndex = () => randomInt(1_000_000, 100_000_000);

async function userSession(tmux: Tmux): Promise<{ readonly socket: string; readonly sessionId: string }> {
  if (tmux.inside === undefined)
    throw new TroupeError(
      "team",
      "there is no tmux around this program: start it inside one, or use a server of Troupe's own",
    );
  const { socket, paneId } = tmux.inside;
  const answer = await tmux.run([[panesCommand("-t", paneId)]], { socket });
  const pane = readPanes(answer.stdout).find((one) => one.paneId === paneId);
  if (pane === undefined)
    throw new TroupeError("team", `the user's tmux on ${socket} cannot be used: ${answer.problem}`);
  return { socket, sessionId: pane.sessionId };
}
