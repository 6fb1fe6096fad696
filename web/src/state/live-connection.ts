import type { Envelope, SessionId } from "../../../src/protocol/index.ts";
import type { Store } from "../../../src/view/index.ts";
import { type Connection, type DashboardState, emptyDashboard } from "./dashboard-state.ts";
import { foldEnvelopes } from "./fold-envelopes.ts";
import { type Message, readMessage } from "./read-stream-message.ts";
import type { StreamEvent } from "./shared-stream/stream-events.ts";
import { streamAddress } from "./stream-address.ts";

/** The ports of a connection; the browser's are in `browser-ports.ts`. */
export interface ConnectionPorts {
  /** `broken` is called once; the caller closes the stream. */
  openStream(address: string, on: StreamListener): { close(): void };
  /** True if the server accepts this browser. */
  isKnown(): Promise<boolean>;
  /** Runs the callback before the next frame is drawn. Returns a function that cancels it. */
  nextFrame(run: () => void): () => void;
  after(ms: number, run: () => void): () => void;
  random(): number;
}

export interface StreamListener {
  onOpen(): void;
  onMessage(type: StreamEvent, data: string): void;
  broken(): void;
}

/** Keeps the store in sync with the server, across any number of interruptions. */
export interface LiveConnection {
  /** Selects the session whose events are wanted; without one, only the list. */
  select(session: SessionId | undefined): void;
  /** Retries at once instead of waiting. */
  retry(): void;
  close(): void;
}

/** First and longest delay before a retry. */
const [firstDelayMs, mostDelayMs] = [500, 10_000];

/**
 * Interval between drawings while stored events are loaded: loading is more useful than drawing states that soon
 * change.
 */
const catchUpMs = 400;

export function connect(store: Store<DashboardState>, ports: ConnectionPorts): LiveConnection {
  let stream: { close(): void } | undefined;
  let waiting: Envelope[] = [];
  /** True if events were folded and the subscribers were not notified yet. */
  let hasPendingUpdates = false;
  let stopFrame: (() => void) | undefined;
  let stopRetry: (() => void) | undefined;
  let tries = 0;
  let isClosed = false;

  const set = (connection: Connection) => store.setState((state) => ({ ...state, connection }));
  const flush = () => {
    stopFrame?.();
    stopFrame = undefined;
    const [came, isUntold] = [waiting, hasPendingUpdates];
    waiting = [];
    hasPendingUpdates = false;
    if (came.length > 0) store.setState((state) => foldEnvelopes(state, came));
    else if (isUntold) store.setState((state) => ({ ...state }));
  };
  const receive = (onMessage: Message) => {
    if (onMessage.kind === "envelopes" && isCatchingUp(store.getState())) {
      // Folds at once, so that events do not pile up; only drawing waits.
      store.setState((state) => foldEnvelopes(state, onMessage.envelopes), { quiet: true });
      hasPendingUpdates = true;
      stopFrame ??= ports.after(catchUpMs, flush);
      return;
    }
    if (onMessage.kind === "envelopes") {
      for (const envelope of onMessage.envelopes) waiting.push(envelope);
      stopFrame ??= ports.nextFrame(flush);
      return;
    }
    flush();
    store.setState((state) => withMessage(state, onMessage));
  };
  const drop = () => {
    stream?.close();
    stream = undefined;
    stopRetry?.();
    stopRetry = undefined;
    flush();
  };
  const open = () => {
    drop();
    const { selected, views } = store.getState();
    const mine = ports.openStream(streamAddress(selected, views), {
      onOpen() {
        if (stream !== mine) return;
        tries = 0;
        set({ kind: "open" });
      },
      onMessage(type, data) {
        if (stream !== mine) return;
        let onMessage: Message;
        try {
          onMessage = readMessage(type, data);
        } catch {
          // An unknown message. The stream starts again at its position; if that does not help, the banner stays.
          return onBroken();
        }
        receive(onMessage);
      },
      broken() {
        if (stream === mine) onBroken();
      },
    });
    stream = mine;
  };
  const onBroken = () => {
    drop();
    tries += 1;
    const delayMs = Math.min(mostDelayMs, firstDelayMs * 2 ** (tries - 1)) * (0.75 + ports.random() / 2);
    set({ kind: "waiting", tries, delayMs });
    stopRetry = ports.after(delayMs, open);
    void ports.isKnown().then((isKnown) => {
      if (isKnown || isClosed || stream) return;
      drop();
      set({ kind: "refused" });
    });
  };

  open();
  return {
    select(session) {
      if (isClosed || store.getState().selected === session) return;
      drop();
      store.setState((state) => ({
        ...emptyDashboard,
        sessions: state.sessions,
        summaries: state.summaries,
        toasts: state.toasts,
        toastCount: state.toastCount,
        transcriptRequests: state.transcriptRequests,
        connection: state.connection.kind === "open" ? { kind: "connecting" } : state.connection,
        selected: session,
      }));
      open();
    },
    retry() {
      const { kind } = store.getState().connection;
      if (!isClosed && (kind === "waiting" || kind === "refused")) open();
    },
    close() {
      isClosed = true;
      drop();
    },
  };
}

const isCatchingUp = ({ selected, caughtUp }: DashboardState): boolean =>
  selected !== undefined && !caughtUp.has(selected);

function withMessage(state: DashboardState, onMessage: Exclude<Message, { kind: "envelopes" }>): DashboardState {
  switch (onMessage.kind) {
    case "sessions":
      return { ...state, sessions: onMessage.sessions };
    case "summaries":
      return {
        ...state,
        summaries: new Map([...state.summaries, ...onMessage.summaries.map((each) => [each.session, each] as const)]),
      };
    case "caught-up": {
      const gone = new Map(state.missing);
      gone.delete(onMessage.session);
      return { ...state, missing: gone, caughtUp: new Set(state.caughtUp).add(onMessage.session) };
    }
    case "state": {
      const { session, state: now } = onMessage;
      return {
        ...state,
        sessions: state.sessions?.map((each) => (each.id === session ? { ...each, state: now } : each)),
      };
    }
    case "gone":
      return { ...state, missing: new Map(state.missing).set(onMessage.session, onMessage.message) };
  }
}
