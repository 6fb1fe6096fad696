import type { ElicitRequest, ElicitResult } from "@modelcontextprotocol/client";
import { type Clock, rejectOnAbort } from "../../platform/index.ts";
import { type Connection, type ConnectionPorts, connect, type Offer } from "./connect.ts";
import { createRefresh } from "./refresh-offer.ts";
import { watchConnection } from "./watch-connection.ts";
import { createServerCalls, reasonOf, type ServerRequest } from "./server-calls.ts";
import type { McpServerConfig } from "./server-config.ts";

export type ServerState = "connecting" | "connected" | "reconnecting" | "failed" | "closed";

export interface McpServerOptions extends Omit<ConnectionPorts, "elicit"> {
  readonly name: string;
  /** With its variables expanded; a text is the reason why the configuration cannot be used. */
  readonly config: McpServerConfig | string;
  readonly clock: Clock;
  readonly callTimeoutMs: number;
  readonly pingEveryMs: number;
  /** Delay before the first restart; it doubles with each restart. */
  readonly backoffMs: number;
  /** Called on every change of the state and of the offer. */
  readonly onChange: () => void;
  readonly elicit: (server: string, request: ElicitRequest["params"], signal: AbortSignal) => Promise<ElicitResult>;
}

/** One server during a session. It is started, restarted when it dies, and marked as failed after too many restarts. */
export interface McpServer {
  readonly name: string;
  readonly required: boolean;
  readonly state: ServerState;
  readonly error: string | undefined;
  /** The last known offer. It is kept while the server is down, so that a call can restart it. */
  readonly offer: Offer;
  /** Resolves when the server is not starting any more. */
  settled(): Promise<void>;
  /** Sends a request. Rejects soon if the server dies; waits a limited time for a server that is down. */
  ask<T>(request: ServerRequest<T>): Promise<T>;
  /** Starts a failed server again, with all its retries. */
  reconnect(): void;
  close(): Promise<void>;
}

const restarts = 3;
const provenMs = 60_000;
const noOffer: Offer = { tools: [], prompts: [], hasResources: false, instructions: "" };

export function createMcpServer(options: McpServerOptions): McpServer {
  const { clock, onChange, config } = options;
  const timeoutMs = (typeof config === "object" ? config.timeoutMs : undefined) ?? options.callTimeoutMs;
  const closing = new AbortController();
  let state: ServerState = "connecting";
  let error: string | undefined;
  let offer = noOffer;
  let connection: Connection | undefined;
  let failures = 0;
  let underWay: Promise<void>;

  const become = (next: ServerState, why?: string) => {
    if (state === "closed") return;
    state = next;
    error = why;
    onChange();
  };

  const tryOnce = async (config: McpServerConfig): Promise<void> => {
    let refresh: (() => void) | undefined;
    const elicit: ConnectionPorts["elicit"] = (request, asked) =>
      calls.during(asked, (signal) => options.elicit(options.name, request, signal));
    const made = await connect({ ...options, config, elicit, signal: closing.signal, onChanged: () => refresh?.() });
    if (closing.signal.aborted) return made.drop("the session ends");
    connection = made;
    offer = made.offer;
    const lost = watchConnection({
      ...options,
      connection: made,
      signal: closing.signal,
      pending: () => calls.pending,
      onLost(why, lastedMs) {
        connection = undefined;
        if (closing.signal.aborted) return;
        if (lastedMs > provenMs) failures = 0;
        underWay = connectWithRetries(why);
      },
    });
    refresh = createRefresh({
      connection: made,
      signal: lost,
      onOffer(next) {
        offer = next;
        onChange();
      },
      // If the list cannot be read, the previous one stays. A lost server is detected separately.
      onError: (cause) => become(state, `cannot refresh its list of tools: ${reasonOf(cause)}`),
    });
    become("connected");
  };

  /** Never rejects: the result is the state. */
  const connectWithRetries = async (lostBecause?: string): Promise<void> => {
    if (typeof config === "string") return become("failed", config);
    for (let why = lostBecause; ; ) {
      if (why !== undefined) {
        if (failures >= restarts) return become("failed", why);
        failures += 1;
        become("reconnecting", why);
        await clock.sleep(options.backoffMs * 2 ** (failures - 1), closing.signal).catch(() => undefined); // the loop checks the signal
      }
      if (closing.signal.aborted) return;
      try {
        return await tryOnce(config);
      } catch (cause) {
        if (closing.signal.aborted) return;
        why = reasonOf(cause);
        if (isHopeless(why)) return become("failed", why);
      }
    }
  };

  const restart = (after: { readonly failures: number }) => {
    failures = after.failures;
    become("reconnecting", error);
    underWay = connectWithRetries();
  };

  const usable = async (signal: AbortSignal): Promise<Connection> => {
    if (state === "failed" && typeof config === "object") restart({ failures: restarts });
    await rejectOnAbort(underWay, signal);
    if (connection) return connection;
    if (state === "closed") throw new Error("the session is ending");
    throw new Error(`the server ${options.name} is not available: ${error ?? state}`);
  };

  const calls = createServerCalls({ name: options.name, timeoutMs, clock, usable });
  underWay = Promise.resolve().then(() => connectWithRetries());

  return {
    name: options.name,
    required: typeof config === "object" && config.required === true,
    get state() {
      return state;
    },
    get error() {
      return error;
    },
    get offer() {
      return offer;
    },
    async settled() {
      for (let seen; seen !== underWay; ) await (seen = underWay);
    },
    async ask(request) {
      const result = await calls.ask(request);
      failures = 0;
      return result;
    },
    reconnect() {
      if (state === "failed") restart({ failures: 0 });
    },
    async close() {
      closing.abort(new Error("the session ends"));
      await connection?.drop("the session ends");
      await underWay;
      become("closed");
    },
  };
}

/** Errors of the configuration, which a retry cannot fix. */
const isHopeless = (why: string): boolean =>
  / could not be started: | is not a URL$| is neither http nor https$|\b(?:401|403)\b|Unauthorized/.test(why);
