import { readFileSync } from "node:fs";
import { jetstream, type JetStreamClient, jetstreamManager, type JetStreamManager } from "@nats-io/jetstream";
import { connect, credsAuthenticator, type NatsConnection, type NodeConnectionOptions } from "@nats-io/transport-node";
import { TroupeError } from "../../protocol/index.ts";

/** Where a bus is, and how one is let in. */
export interface BusAddress {
  /** `nats://host:4222`, `tls://host:4222`; a name and password, or a token, may stand before the host. */
  readonly servers: readonly string[];
  /** The file with a user's JWT and seed, as `nsc` writes it. */
  readonly credentialsFile?: string | undefined;
  readonly tls?: BusTls | undefined;
}

export interface BusTls {
  readonly caFile?: string | undefined;
  readonly certFile?: string | undefined;
  readonly keyFile?: string | undefined;
}

/** One connection, which comes back by itself for as long as it takes. */
export interface Bus {
  readonly connection: NatsConnection;
  readonly js: JetStreamClient;
  readonly jsm: JetStreamManager;
  /** As words for people name it; without passwords. */
  readonly where: string;
  isConnected(): boolean;
  /** The largest message that it takes. */
  maxPayload(): number;
  /** Called each time the connection is there again. Gives a function that ends that. */
  onReconnect(listener: () => void): () => void;
  onDisconnect(listener: () => void): () => void;
  close(): Promise<void>;
}

export async function connectBus(address: BusAddress): Promise<Bus> {
  const where = address.servers.map(withoutPassword).join(", ");
  const connection = await dial(address, where);
  const js = jetstream(connection, { timeout: requestMs });
  const jsm = await jetstreamManager(connection, { timeout: requestMs, checkAPI: false });
  const back = new Set<() => void>();
  const away = new Set<() => void>();
  let isConnected = true;

  const watch = async () => {
    for await (const status of connection.status()) {
      if (status.type === "disconnect") {
        isConnected = false;
        for (const listener of away) listener();
      } else if (status.type === "reconnect") {
        isConnected = true;
        for (const listener of back) listener();
      }
    }
  };
  void watch();

  const on = (listeners: Set<() => void>) => (listener: () => void) => {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  };

  return {
    connection,
    js,
    jsm,
    where,
    isConnected: () => isConnected && !connection.isClosed(),
    maxPayload: () => connection.info?.max_payload ?? 1_048_576,
    onReconnect: on(back),
    onDisconnect: on(away),
    close: () => connection.close(),
  };
}

async function dial(address: BusAddress, where: string): Promise<NatsConnection> {
  try {
    return await connect(optionsOf(address));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new TroupeError(
      "storage",
      `Cannot reach the bus at ${where}: ${why}. Is a nats-server with JetStream running there?`,
      {
        cause: error,
      },
    );
  }
}

function optionsOf({ servers, credentialsFile, tls }: BusAddress): NodeConnectionOptions {
  const urls = servers.map(parseServer);
  const login = urls.find((url) => url.username !== "");
  const isEncrypted = tls !== undefined || urls.some((url) => url.protocol === "tls:");
  return {
    servers: urls.map((url) => url.host),
    name: "troupe",
    ...(login && loginOf(login)),
    ...(credentialsFile !== undefined && { authenticator: credsAuthenticator(readSecret(credentialsFile)) }),
    ...(isEncrypted && { tls: tlsOf(tls ?? {}) }),
    timeout: requestMs,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 200,
    reconnectJitter: 200,
    reconnectJitterTLS: 500,
    pingInterval: 5000,
    maxPingOut: 2,
  };
}

const tlsOf = ({ caFile, certFile, keyFile }: BusTls) => ({
  ...(caFile !== undefined && { caFile }),
  ...(certFile !== undefined && { certFile }),
  ...(keyFile !== undefined && { keyFile }),
});

function parseServer(server: string): URL {
  const text = server.includes("://") ? server : `nats://${server}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && (url.protocol === "nats:" || url.protocol === "tls:") && url.hostname !== "") {
    if (url.port === "") url.port = "4222";
    return url;
  }
  throw new TroupeError(
    "usage",
    `${JSON.stringify(withoutPassword(server))} is no address of a bus: nats://host:4222.`,
  );
}

const loginOf = ({ username, password }: URL) =>
  password === ""
    ? { token: decodeURIComponent(username) }
    : { user: decodeURIComponent(username), pass: decodeURIComponent(password) };

const withoutPassword = (server: string): string => server.replace(/\/\/[^/@]*@/, "//");

function readSecret(path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new TroupeError("settings", `The credentials for the bus cannot be read: ${why}.`, { cause: error });
  }
}

/** What is not answered within this is asked again, with the same id. */
const requestMs = 4000;
