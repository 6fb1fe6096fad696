import { createFolderWatcher, createIdFactory, systemClock } from "../../platform/index.ts";
import { type Ack, type Command, type SessionId, TroupeError } from "../../protocol/index.ts";
import {
  createFileSessionStore,
  createSessionCatalog,
  type SessionFiles,
  shareTeams,
  type TeamStore,
} from "../../store/index.ts";
import { isTranscriptEvent } from "../../view/index.ts";
import type { Session } from "../session.ts";
import { dispatchOverSocket } from "./dispatch-over-socket.ts";
import { socketsFolder } from "./socket-path.ts";
import { createSessionLister } from "./list-sessions.ts";
import { observeSession, openInProcess } from "./stream-session-events.ts";
import type { SessionDirectory, ObservedSession } from "./observed-session.ts";
import { createBusTeams } from "./bus-teams.ts";
import { watchSessions } from "./watch-sessions.ts";

export interface SessionDirectoryOptions {
  /** Troupe's home folder: `homeFolder(env)`. */
  readonly home: string;
  /** A session of the same home folder that is open in this process. It is observed directly. */
  readonly own?: Session | undefined;
  /** Teams on a bus. Sessions on other machines are shown as far as the bus has their data. */
  readonly bus?: TeamStore | undefined;
  /** Reports bus problems to the user. */
  readonly onProblem?: ((message: string) => void) | undefined;
}

/** Observes the sessions of a home folder from outside. Creates and claims nothing. */
export function openSessionDirectory({
  home,
  own,
  bus,
  onProblem = () => undefined,
}: SessionDirectoryOptions): SessionDirectory {
  const clock = systemClock;
  const createId = createIdFactory(clock);
  const store = createFileSessionStore({ home, clock, createId });
  const catalog = createSessionCatalog({ home });
  const lister = createSessionLister(catalog, { home, clock, createId });
  const busTeams = bus && createBusTeams({ teams: shareTeams(bus), clock, createId, onProblem });
  const watcher = createFolderWatcher();
  const closing = new AbortController();
  const until = (signal: AbortSignal) => AbortSignal.any([signal, closing.signal]);

  const openOne = (id: SessionId, files: SessionFiles): ObservedSession => {
    const closed = new AbortController();
    const ownSession = own?.id === id ? own : undefined;
    const ports = { home, id, files, own: ownSession, watcher, clock, createId };
    return {
      id,
      events: ({ after, signal }) =>
        observeSession(ports, { after, signal: AbortSignal.any([until(signal), closed.signal]) }),
      dispatch: (command: Command): Promise<Ack> =>
        openInProcess(ownSession)?.dispatch(command) ?? dispatchOverSocket(command, { home, id, files }),
      transcript: ({ session, agent }) => store.readLog(session ?? id, { agent, only: isTranscriptEvent }),
      async close() {
        closed.abort();
      },
    };
  };

  /** For sessions on this machine, the local data wins over the bus. */
  const list = async () => {
    const local = await lister.list(openInProcess(own)?.id);
    const ids = new Set(local.map(({ id }) => id));
    return [...local, ...(busTeams?.list() ?? []).filter(({ id }) => !ids.has(id))];
  };

  return {
    sessions: (signal) =>
      watchSessions(
        { catalog, watcher, socketFolder: socketsFolder(home), list, followOthers: busTeams?.follow, clock },
        until(signal),
      ),
    async open(id) {
      const files = await catalog.filesOf(id);
      const found = files ? openOne(id, files) : await busTeams?.open(id, closing.signal);
      if (!found) throw new TroupeError("session_not_found", `There is no session ${id}.`);
      return found;
    },
    async close() {
      closing.abort();
      watcher.close();
    },
  };
}
