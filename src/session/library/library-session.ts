import type { RunOutcome } from "../../agent/index.ts";
import { type ContentPart, TroupeError } from "../../protocol/index.ts";
import { answerText, leadOf } from "../../view/index.ts";
import type { Session } from "../session.ts";

/** The result of `ask`. */
export interface Reply {
  /** The lead's last answer. */
  readonly text: string;
  readonly reason: RunOutcome["reason"];
  readonly detail?: string;
}

/** A session with additional methods for common tasks. */
export interface LibrarySession extends Session {
  /** Resolves when the prompt is stored. The answer arrives as events. */
  send(content: string | readonly ContentPart[]): Promise<void>;
  /** Sends a prompt, waits until the lead has nothing left to do, and returns its last answer. */
  ask(content: string | readonly ContentPart[]): Promise<Reply>;
  /** Interrupts the lead. The session stays open. */
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
    // Other agents may answer last, but only the lead's answer counts.
    if (agent === leadOf(session.view())?.id) text = answerText(event) ?? text;
  }
  return text;
}
