import { setImmediate as nextRound } from "node:timers/promises";
import { type Mail, type MailId, type MailKind, teamLead } from "../../protocol/index.ts";
import type { ReceivedMail } from "./mailbox.ts";

/** Mail with its place in the order of the inbox, among the mail of this run. Clocks do not matter for it. */
export type Arrived<M extends Mail> = M & { readonly arrival: number };

/** Unhandled mail of one member. Handles one at a time: control messages, then the lead's mail, then other mail. */
export interface MailQueue {
  /** Ignores mail that is already queued or was handled, until `forget`. */
  add(mail: ReceivedMail): void;
  /** The mail is marked as read, so no reader yields it again. */
  forget(ids: readonly MailId[]): void;
  /** Resolves when all mail queued so far is handled. */
  drained(): Promise<void>;
}

export interface MailQueueOptions {
  readonly handle: (mail: Arrived<ReceivedMail>) => Promise<void>;
  /** Called after each drain. */
  readonly onDrained: () => void;
  readonly onFailure: (error: unknown) => void;
  readonly signal: AbortSignal;
}

export function createMailQueue({ handle, onDrained, onFailure, signal }: MailQueueOptions): MailQueue {
  /** By priority. Each queue keeps its order. */
  const pending: readonly Arrived<ReceivedMail>[][] = [[], [], []];
  let arrivals = 0;
  const known = new Set<MailId>();
  let draining: Promise<void> | undefined;

  const nextMail = () => pending.find((queue) => queue.length > 0)?.shift();

  /** Waits one round first, so that all mail read together is queued. */
  const drain = async () => {
    try {
      await nextRound();
      for (let mail = nextMail(); mail && !signal.aborted; mail = nextMail()) await handle(mail);
    } finally {
      // In the same tick as the last check, so that later mail starts a new drain.
      draining = undefined;
    }
    onDrained();
  };

  return {
    add(mail) {
      if (known.has(mail.id)) return;
      known.add(mail.id);
      pending[priorityOf(mail)]?.push({ ...mail, arrival: ++arrivals });
      if (draining) return;
      draining = drain();
      // The await in `drained` would report it too late.
      draining.catch(onFailure);
    },
    forget(ids) {
      for (const id of ids) known.delete(id);
    },
    drained: async () => draining,
  };
}

const priorityOf = ({ body, from }: Mail): number =>
  conversationKinds.has(body.kind) ? (from === teamLead ? 1 : 2) : 0;

/** Kinds that keep their order among all messages of their sender. */
const conversationKinds: ReadonlySet<MailKind> = new Set(["text", "idle_notification", "task_assignment"]);
