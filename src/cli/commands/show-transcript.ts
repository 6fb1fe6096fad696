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
  /** With what tells of the session. */
  readonly lead: readonly StoredEnvelope[];
}

/**
 * `troupe agents show ID`: what an agent did, by its id, its path or its name; with `--json` its envelopes. False: nobody of that
 * name has worked here.
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

/** In one session, or in those of this folder, the newest first; an id, which is one agent's alone, then in all others. */
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
      // Another session's damage must not keep this one's agent from being shown.
      if (!TroupeError.is(error) || session !== undefined) throw error;
      process.stderr.write(`troupe: ${visibleLine(error.message)}\n`);
    }
  }
  return undefined;
}

const isNamed = (event: StoredEnvelope["event"], agentRef: string) =>
  event.type === "agent.spawned" && (event.path === agentRef || event.path.endsWith(`/${agentRef}`));
