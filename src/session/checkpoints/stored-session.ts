import { currentEnvelopes } from "../../agent/index.ts";
import { createIdFactory, systemClock } from "../../platform/index.ts";
import { SessionId, type StoredEnvelope, TroupeError } from "../../protocol/index.ts";
import { createFileSessionStore, openSessionCopy, type SessionStore } from "../../store/index.ts";
import { type ConfigInput, loadConfig } from "../config/load-config.ts";
import { journalFile, openCheckpointJournal, readCheckpoints } from "./checkpoint-journal.ts";
import { type DiffRequest, diffSession } from "./diff-session.ts";
import { openFolderStates } from "./folder-states.ts";
import type { RewindRequest } from "./plan-rewind.ts";
import { type RewindPoint, rewindPoints } from "./rewind-points.ts";
import { carryOut, type RewindRecord } from "./rewind-session.ts";

/** Looks at, compares, rewinds and forks sessions without opening one. */
export interface StoredSessions {
  readonly store: SessionStore;
  readonly cwd: string;
  readonly home: string;
  points(id: string): Promise<readonly RewindPoint[]>;
  diff(id: string, of: DiffRequest): Promise<string>;
  /** Rejects with `session_busy` while a process has the session open. */
  rewind(id: string, request: RewindRequest): Promise<RewindRecord>;
  /** Returns the id of a new session with the conversation of this one, up to and including an event. */
  fork(id: string, at: string | undefined): Promise<SessionId>;
}

export async function openStoredSessions(input: ConfigInput): Promise<StoredSessions> {
  const config = await loadConfig(input);
  const { home, cwd } = config;
  const clock = systemClock;
  const createId = createIdFactory(clock);
  const store = createFileSessionStore({ home, clock, createId });
  return {
    store,
    cwd,
    home,
    points: async (id) => rewindPoints((await store.read(id)).lead),
    async diff(id, of) {
      const folder = await store.checkpointFolder(id);
      const states = openFolderStates(config, async () => folder);
      const checkpoints = readCheckpoints(journalFile(folder));
      return diffSession(of, { ...(await store.read(id)), checkpoints, states, untilNow: false });
    },
    async rewind(id, request) {
      const opened = await store.open(id);
      const journal = openCheckpointJournal(opened.checkpointFolder, clock);
      const states = openFolderStates(config, opened.checkpointFolder);
      try {
        const { agent, replayed } = opened.leadLog;
        const record = await carryOut(request, { log: replayed, agent, journal, states });
        await opened.leadLog.record({ type: "agent.rewound", ...record });
        return record;
      } finally {
        await states.close();
        await journal.close();
        await opened.close();
      }
    },
    async fork(id, at) {
      const { lead, agents } = await store.read(id);
      const from = forkedEvents(lead, at);
      const until = from.at(-1)?.at ?? "";
      const sessionId = createId<SessionId>("ses");
      const copy = await openSessionCopy({ home, cwd: folderOf(lead), sessionId, clock, createId });
      try {
        for (const envelope of from) await copy.append(envelope);
        for (const log of agents.values())
          for (const envelope of log) if (envelope.at <= until) await copy.append(envelope);
      } finally {
        await copy.close();
      }
      return SessionId.parse(sessionId);
    },
  };
}

/** The new session does not lead the team of the old one, and starts without its cost. */
function forkedEvents(lead: readonly StoredEnvelope[], at: string | undefined): StoredEnvelope[] {
  const point = rewindPoints(lead).find(({ id }) => id === at);
  const index = point ? point.seq : lead.findIndex(({ id, seq }) => id === at || String(seq) === at) + 1;
  if (at !== undefined && index <= 0)
    throw new TroupeError(
      "usage",
      `there is no event ${at} in the session. Use an event id, its number or a prompt id.`,
    );
  const current = currentEnvelopes(lead, at === undefined ? lead.length : index);
  const read = new Set(current.map(({ event }) => (event.type === "prompt.promoted" ? event.promptId : undefined)));
  // A prompt that the agent had not read at that moment would run at once.
  const isWaiting = ({ event }: StoredEnvelope) => event.type === "prompt.admitted" && !read.has(event.promptId);
  return current.filter((envelope) => !leftBehind.has(envelope.event.type) && !isWaiting(envelope));
}

const leftBehind: ReadonlySet<string> = new Set(["team.joined", "team.left", "member.joined", "cost.recorded"]);

function folderOf(lead: readonly StoredEnvelope[]): string {
  const opened = lead.map(({ event }) => event).findLast((event) => event.type === "session.opened");
  if (opened?.cwd === undefined) throw new TroupeError("session_damaged", "the log does not name its working folder");
  return opened.cwd;
}
