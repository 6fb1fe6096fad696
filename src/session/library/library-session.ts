import type { RunOutcome } from "../../agent/index.ts";
import { type Clock, createQueue } from "../../platform/index.ts";
import { type ContentPart, type Envelope, type SessionId, TroupeError, type Usage } from "../../protocol/index.ts";
import { leadOf } from "../../view/index.ts";
import { createRunTally, type DeniedCall } from "../run-tally.ts";
import type { Session } from "../session.ts";
import { waitForTeam } from "../wait-for-team.ts";
import { inOptionWords } from "./option-words.ts";
import type { StructuredOutput } from "./structured-output.ts";

/** The result of `ask`. The numbers count all agents while the prompt was worked on. */
export interface Reply<Output = unknown> {
  /** The lead's last answer. */
  readonly text: string;
  readonly reason: RunOutcome["reason"];
  readonly detail?: string;
  readonly usage: Usage;
  readonly costUsd: number;
  readonly turns: number;
  readonly durationMs: number;
  readonly sessionId: SessionId;
  /** The calls that the user, a rule or a hook denied. */
  readonly denials: readonly DeniedCall[];
  /** The value that fits `outputSchema`. Undefined without one, and if the lead did not complete its work. */
  readonly output: Output | undefined;
}

export interface AskOptions {
  /** Interrupts the lead. The promise then rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
}

/** A session with additional methods for common tasks. */
export interface LibrarySession<Output = unknown> extends Session {
  /** Resolves when the prompt is stored. The answer arrives as events. */
  send(content: string | readonly ContentPart[]): Promise<void>;
  /**
   * Sends a prompt, waits until the lead, its subagents and its team have nothing left to do, and returns the lead's last
   * answer. It does not wait for commands in the background. Several prompts are answered one after another.
   */
  ask(content: string | readonly ContentPart[], options?: AskOptions): Promise<Reply<Output>>;
  /**
   * Like `ask`, and yields the lead's text as the model writes it, with an empty line between two answers. The generator
   * returns the reply. To leave the loop early interrupts the lead.
   */
  stream(content: string | readonly ContentPart[], options?: AskOptions): AsyncGenerator<string, Reply<Output>, void>;
  /** Interrupts the lead. The session stays open. */
  abort(): Promise<void>;
  /** Closes the session at the end of an `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

export function toLibrarySession<Output>(
  session: Session,
  { clock, output }: { readonly clock: Clock; readonly output: StructuredOutput<Output> | undefined },
): LibrarySession<Output> {
  let lastAsk: Promise<unknown> = Promise.resolve();

  const send = async (content: string | readonly ContentPart[]) => {
    const ack = await session.dispatch({
      type: "prompt",
      content: typeof content === "string" ? content : [...content],
    });
    if (!ack.ok)
      throw new TroupeError(ack.code === "session_closed" ? "session_closed" : "prompt", inOptionWords(ack.message));
  };
  const abort = async () => {
    await session.dispatch({ type: "interrupt" });
  };
  /** Answers one prompt after another: an event does not name its prompt. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const turn = lastAsk.then(work);
    lastAsk = turn.catch(() => undefined); // the caller gets the error
    return turn;
  };
  const answer = async (content: Prompt, signal: AbortSignal, each?: (envelope: Envelope) => void) => {
    signal.throwIfAborted();
    const startedAt = clock.monotonic();
    const tally = createRunTally(session.id, leadOf(session.view())?.id);
    const following = follow(session, (envelope) => {
      tally.add(envelope);
      each?.(envelope);
    });
    output?.forget();
    try {
      let outcome = await complete(content, signal);
      for (const reminder of output?.reminders ?? []) {
        if (output?.has() || outcome?.reason !== "completed") break;
        outcome = await complete(reminder, signal);
      }
      const { text, ...counted } = await following.end(() => replyPart(tally.sum));
      const { reason = "completed", detail } = outcome ?? {};
      const value = output?.take(reason);
      return {
        text,
        reason,
        ...(detail !== undefined && { detail }),
        ...counted,
        durationMs: Math.round(clock.monotonic() - startedAt),
        sessionId: session.id,
        output: value,
      };
    } finally {
      await following.end(() => undefined);
    }
  };
  const complete = async (content: Prompt, signal: AbortSignal): Promise<RunOutcome | undefined> => {
    const interrupting: Promise<void>[] = [];
    const interrupt = () => void interrupting.push(abort());
    signal.addEventListener("abort", interrupt, { once: true });
    try {
      await send(content);
      // An abort while the prompt was stored came before the run.
      if (signal.aborted) await abort();
      return await waitForTeam(session, {
        signal,
        // A command may be a server that never ends.
        limitOf: (running) => (running.every(({ kind }) => kind === "shell") ? AbortSignal.abort() : undefined),
      });
    } finally {
      signal.removeEventListener("abort", interrupt);
      await Promise.all(interrupting);
      signal.throwIfAborted();
    }
  };
  return {
    ...session,
    async dispatch(command) {
      const ack = await session.dispatch(command);
      return ack.ok ? ack : { ...ack, message: inOptionWords(ack.message) };
    },
    send,
    abort,
    ask: (content, { signal = never } = {}) => inTurn(() => answer(content, signal)),
    async *stream(content, { signal } = {}) {
      const left = new AbortController();
      const texts = createQueue<string>();
      const asking = inTurn(() =>
        answer(content, AbortSignal.any([left.signal, ...(signal ? [signal] : [])]), textsOf(session, texts.push)),
      );
      const ended = asking.then(texts.end, texts.end);
      let isDone = false;
      try {
        yield* texts;
        isDone = true;
        return await asking;
      } finally {
        if (!isDone) left.abort(new DOMException("the reader has left the stream", "AbortError"));
        await ended;
      }
    },
    [Symbol.asyncDispose]: () => session.close(),
  };
}

type Prompt = string | readonly ContentPart[];

const never = new AbortController().signal;

const replyPart = ({ answer, turns, costUsd, usage, denials }: ReturnType<typeof createRunTally>["sum"]) => ({
  text: answer,
  turns,
  costUsd: Number(costUsd.toFixed(6)),
  usage,
  denials,
});

/** Reads all events from now on, until `end`. */
function follow(session: Session, each: (envelope: Envelope) => void) {
  const over = new AbortController();
  const events = session.events({ fresh: true, signal: over.signal });
  const reading = (async () => {
    for await (const envelope of events) each(envelope);
  })();
  return {
    async end<T>(result: () => T): Promise<T> {
      over.abort();
      await reading;
      return result();
    },
  };
}

/** Passes on the text of the lead, with an empty line before each new answer. */
function textsOf(session: Session, push: (text: string) => void): (envelope: Envelope) => void {
  const lead = leadOf(session.view())?.id;
  let turn: number | undefined;
  return ({ agent, event }) => {
    if (agent !== lead || event.type !== "text.delta") return;
    if (turn !== undefined && turn !== event.turn) push("\n\n");
    turn = event.turn;
    push(event.text);
  };
}
