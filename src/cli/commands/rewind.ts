import { SessionId, TroupeError } from "../../protocol/index.ts";
import { openSessionDirectory, openStoredSessions } from "../../session/index.ts";
import { visibleLine, visibleText } from "../../view/index.ts";

export interface RewindFlags {
  readonly only?: "files" | "conversation";
  readonly json?: boolean;
}

/** Lists the moments of a session, or goes back to one of them, in the process that has the session open or here. */
export async function rewind(id: string, point: string | undefined, flags: RewindFlags): Promise<void> {
  const sessions = await openStoredSessions({ cwd: process.cwd(), env: process.env });
  if (point === undefined) {
    for (const each of await sessions.points(id)) {
      const when = each.at.slice(0, 16).replace("T", " ");
      const mark = each.kind === "rewind" ? "(rewind) " : each.isLeft ? "(left) " : "";
      process.stdout.write(
        flags.json ? `${JSON.stringify(each)}\n` : `${visibleLine(`${each.id}  ${when}  ${mark}${each.text}`)}\n`,
      );
    }
    return;
  }
  const request = { to: point, what: flags.only ?? ("both" as const) };
  const isOpen = await rewindInItsProcess(sessions.home, id, request);
  const text = isOpen ? "The session went back." : (await sessions.rewind(id, request)).text;
  process.stdout.write(flags.json ? `${JSON.stringify({ text })}\n` : `${visibleLine(text)}\n`);
}

/** False if no process has the session open. */
async function rewindInItsProcess(
  home: string,
  id: string,
  request: { readonly to: string; readonly what: "both" | "files" | "conversation" },
): Promise<boolean> {
  const directory = openSessionDirectory({ home });
  try {
    const session = await directory.open(SessionId.parse(id));
    const ack = await session.dispatch({ type: "rewind", ...request });
    if (ack.ok) return true;
    if (ack.code === "not_running") return false;
    throw new TroupeError("checkpoint", ack.message);
  } finally {
    await directory.close();
  }
}

/** Prints the id of a new session that continues from a moment of another one. */
export async function forkSession(id: string, flags: { readonly at?: string; readonly json?: boolean }): Promise<void> {
  const sessions = await openStoredSessions({ cwd: process.cwd(), env: process.env });
  const sessionId = await sessions.fork(id, flags.at);
  process.stdout.write(
    flags.json ? `${JSON.stringify({ sessionId })}\n` : `${sessionId}\nContinue with: troupe --resume ${sessionId}\n`,
  );
}

export interface DiffFlags {
  readonly prompt?: string;
  readonly agent?: string;
  readonly stat?: boolean;
}

/** Prints the files that a session has changed, by default the newest of this folder. */
export async function diff(asked: string | undefined, flags: DiffFlags): Promise<void> {
  const { store, cwd, diff: compare } = await openStoredSessions({ cwd: process.cwd(), env: process.env });
  const id = asked ?? (await store.latest(cwd))?.sessionId;
  if (id === undefined) throw new TroupeError("usage", "there is no session in this folder. Name one: troupe diff ID.");
  const text = await compare(id, flags);
  process.stdout.write(process.stdout.isTTY ? visibleText(text) : text);
}
