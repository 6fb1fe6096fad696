import { type AgentId, type StoredEnvelope, TroupeError } from "../../protocol/index.ts";
import { openSessionStore } from "../../session/index.ts";
import { emptyView, reduceAll, transcriptMarkdown, visibleLine } from "../../view/index.ts";

export interface TranscriptFlags {
  readonly json?: boolean;
  readonly session?: string;
}

interface FoundAgent {
  readonly id: AgentId;
  readonly own: readonly StoredEnvelope[];
  /** The lead's log. It holds the events of the session itself. */
  readonly lead: readonly StoredEnvelope[];
}

/**
 * `troupe agents show ID`: prints the transcript of an agent, found by its id, path or name. `--json` prints its
 * envelopes. Returns false if no agent of that name ran here.
 */
export async function showTranscript(agentRef: string, { json, session }: TranscriptFlags): Promise<boolean> {
  const found = await findAgent(agentRef, session);
  if (!found) return false;
  const { id, own, lead } = found;
  const text = json
    ? own.map((envelope) => `${JSON.stringify(envelope)}\n`).join("")
    : transcriptMarkdown(reduceAll(emptyView, [...lead, ...(lead === own ? [] : own)]), { only: id });
  process.stdout.write(text);
  return true;
}

/**
 * Searches one session, or all sessions of this folder, newest first. An id is unique, so it is then searched in the
 * sessions of other folders.
 */
async function findAgent(agentRef: string, session: string | undefined): Promise<FoundAgent | undefined> {
  const { store, cwd } = await openSessionStore({ cwd: process.cwd(), env: process.env });
  const isId = agentRef.startsWith("agt_");
  const all = session === undefined ? await store.list() : [];
  const here = all.filter((each) => each.cwd === cwd);
  const others = isId ? all.filter((each) => each.cwd !== cwd) : [];
  const sessions = session === undefined ? [...here, ...others].map(({ sessionId }) => sessionId) : [session];
  for (const sessionId of sessions) {
    try {
      const { lead, agents } = await store.read(sessionId);
      const logs = [lead, ...agents.values()];
      const own = logs.find((log) =>
        log.some(({ agent, event }) => (isId ? agent === agentRef : isNamed(event, agentRef))),
      );
      const [first] = own ?? [];
      if (own && first) return { id: first.agent, own, lead };
    } catch (error) {
      // A damaged session must not prevent the search in other sessions.
      if (!TroupeError.is(error) || session !== undefined) throw error;
      process.stderr.write(`troupe: ${visibleLine(error.message)}\n`);
    }
  }
  return undefined;
}

const isNamed = (event: StoredEnvelope["event"], agentRef: string) =>
  event.type === "agent.spawned" && (event.path === agentRef || event.path.endsWith(`/${agentRef}`));
