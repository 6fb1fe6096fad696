import type { RunOutcome } from "../../agent/index.ts";
import { type ContentPart, TroupeError } from "../../protocol/index.ts";
import { answerText, leadOf } from "../../view/index.ts";
import type { Session } from "../session.ts";

/** What a run that was asked for came to. */
export interface Reply {
  /** The lead's last words. */
  readonly text: string;
  readonly reason: RunOutcome["reason"];
  readonly detail?: string;
}

/** A session as a program drives it: the same object, with the common things in one call. */
export interface LibrarySession extends Session {
  /** Resolves when the prompt is on disk; the answer comes as events. */
  send(content: string | readonly ContentPart[]): Promise<void>;
  /** Sends, waits until the lead has nothing left to do, and gives its last words. */
  ask(content: string | readonly ContentPart[]): Promise<Reply>;
  /** Stops what the lead is doing; the session stays open. */
  abort(): Promise<void>;
}

export function toLibrarySession(session: Session): LibrarySession {
  const send = async (content: string | readonly ContentPart[]) => {
    const ack = await session.dispatch({
      type: "prompt",
      content: typeof content === "string" ? content : [...content],
    });
    if (!ack.ok) throw new TroupeError(ack.code === "session_closed" ? "session_closed" : "prompt", ack.message);
  };
  return {
    ...session,
    send,
    async abort() {
      await session.dispatch({ type: "interrupt" });
    },
    async ask(content) {
      const stop = new AbortController();
      const following = lastAnswer(session, stop.signal);
      try {
        await send(content);
        const outcome = await session.settled();
        stop.abort();
        const { reason = "completed", detail } = outcome ?? {};
        return { text: await following, reason, ...(detail !== undefined && { detail }) };
      } finally {
        stop.abort();
      }
    },
  };
}

async function lastAnswer(session: Session, signal: AbortSignal): Promise<string> {
  let text = "";
  for await (const { event, agent } of session.events({ signal })) {
    // Others may have the last word: the answer is the lead's.
    if (agent === leadOf(session.view())?.id) text = answerText(event) ?? text;
  }
  return text;
}
