import * as z from "zod";
import { TroupeError, type TmuxPane } from "../../../protocol/index.ts";
import { encodeCommands, type TmuxCommand, type TmuxGroup } from "./encode-commands.ts";
import type { Tmux } from "./tmux.ts";

/** A pane as its tmux server reports it. */
export const FoundPane = z.object({
  serverPid: z.coerce.number().int().positive(),
  paneId: z.string().regex(/^%\d+$/),
  /** The program started in the pane. It leads its own process session. */
  pid: z.coerce.number().int().nonnegative(),
  dead: z.enum(["", "0", "1"]).transform((flag) => flag === "1"),
  sessionId: z.string(),
  windowId: z.string(),
  windowPanes: z.coerce.number().int(),
  zoomed: z.enum(["", "0", "1"]).transform((flag) => flag === "1"),
  width: z.coerce.number().int(),
  height: z.coerce.number().int(),
  windowWidth: z.coerce.number().int(),
  windowHeight: z.coerce.number().int(),
  hidden: z.string().transform((flag) => flag === "1"),
  mark: z.string(),
  socket: z.string(),
});
export type FoundPane = z.infer<typeof FoundPane>;

/** Lists all panes of a server. `none` if there is no server. Rejects if the server does not answer. */
export async function listPanes(tmux: Tmux, socket: string): Promise<readonly FoundPane[] | "none"> {
  const answer = await tmux.run([[panesCommand("-a")]], { socket });
  if (answer.noServer) return "none";
  if (!answer.ok) throw noAnswerError(socket, answer.problem);
  return readPanes(answer.stdout);
}

/** The command that lists panes in the form `readPanes` reads: all sessions (`-a`) or one target. */
export const panesCommand = (...which: readonly string[]): TmuxCommand => ["list-panes", ...which, "-F", format];

/** tmux lists a window that is linked into two sessions twice. */
export function readPanes(text: string): readonly FoundPane[] {
  const panes = new Map<string, FoundPane>();
  for (const line of text.split("\n").filter((one) => one.startsWith(lineMark))) {
    // The socket path comes last because it may contain the separator.
    const [, ...values] = line.split("|");
    const named = names.map((name, at) => [name, at === names.length - 1 ? values.slice(at).join("|") : values[at]]);
    const pane = FoundPane.parse(Object.fromEntries(named));
    if (!panes.has(pane.paneId)) panes.set(pane.paneId, pane);
  }
  return [...panes.values()];
}

const lineMark = "troupe-pane|";

const fields = {
  serverPid: "pid",
  paneId: "pane_id",
  pid: "pane_pid",
  dead: "pane_dead",
  sessionId: "session_id",
  windowId: "window_id",
  windowPanes: "window_panes",
  zoomed: "window_zoomed_flag",
  width: "pane_width",
  height: "pane_height",
  windowWidth: "window_width",
  windowHeight: "window_height",
  hidden: "@troupe_hidden",
  mark: "@troupe_id",
  socket: "socket_path",
} as const satisfies Record<keyof FoundPane, string>;

const names = Object.keys(fields);
const format =
  lineMark +
  Object.values(fields)
    .map((name) => `#{${name}}`)
    .join("|");

/** True if it is the pane that Troupe made: same server, same id, same mark. */
export const isSamePane = (found: FoundPane, pane: TmuxPane): boolean =>
  found.serverPid === pane.serverPid && found.paneId === pane.paneId && found.mark === pane.mark;

/**
 * Runs commands only if the pane is still the one that Troupe made. The server checks this in the same step, so nothing
 * can change in between.
 */
export function ifSamePane(pane: TmuxPane, group: TmuxGroup): TmuxCommand {
  // The pane may come from a file, and tmux executes what it finds in a condition.
  if (!/^%\d+$/.test(pane.paneId) || !/^[0-9a-f]+$/.test(pane.mark))
    throw new TroupeError("team", `${JSON.stringify(pane.paneId)} is not a pane that Troupe made`);
  const same = `#{&&:#{==:#{pid},${pane.serverPid}},#{==:#{@troupe_id},${pane.mark}}}`;
  return ["if-shell", "-F", "-t", pane.paneId, same, encodeCommands([group])];
}

export const noAnswerError = (socket: string, problem: string): TroupeError =>
  new TroupeError("team", `tmux on ${socket} does not answer: ${problem}`);
