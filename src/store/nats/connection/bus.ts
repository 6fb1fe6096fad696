import { definedFields } from "../../../platform/index.ts";
import { accessSync, constants } from "node:fs";
import { checkServerIdentity, type PeerCertificate } from "node:tls";
import { jetstream, type JetStreamClient, jetstreamManager, type JetStreamManager } from "@nats-io/jetstream";
import { connect, type NatsConnection, type NodeConnectionOptions } from "@nats-io/transport-node";
import { messageOf, TroupeError } from "../../../protocol/index.ts";
import { loginFromFile } from "./bus-login.ts";
import { unreachableError } from "./unreachable-error.ts";

/** The servers of a bus and the credentials for it. */
export interface BusAddress {
  /** `nats://host:4222`, `tls://host:4222`; a name and password, or a token, may precede the host. */
  readonly servers: readonly string[];
  /** A file with a user's JWT and seed, as `nsc` writes it, or only with the seed of an nkey. */
  readonly credentialsFile?: string | undefined;
  readonly tls?: BusTls | undefined;
  /** For agents on workers: the time until one counts as lost, and the time to wait for a worker. */
  readonly leaseMs?: number | undefined;
  readonly workerWaitMs?: number | undefined;
  /** How long they continue without contact with the session that started them. */
  readonly leadWaitMs?: number | undefined;
}

type BusTls = Readonly<Partial<Record<"caFile" | "certFile" | "keyFile", string | undefined>>>;

/** One connection that reconnects by itself without a time limit. */
export interface Bus {
  readonly connection: NatsConnection;
  readonly js: JetStreamClient;
  readonly jsm: JetStreamManager;
  /** The address for messages to people, without passwords. */
  readonly where: string;
  isConnected(): boolean;
  /** The largest message that the bus accepts. */
  maxPayload(): number;
  /** Called on each reconnect. Returns a function that removes the listener. */
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
  const hosts = address.servers.map(parseServer);
  try {
    return await connect(optionsOf(address, hosts));
  } catch (error) {
    throw await unreachableError(error, { address, where, hosts });
  }
}

function optionsOf({ credentialsFile, tls }: BusAddress, urls: readonly URL[]): NodeConnectionOptions {
  const login = urls.find((url) => url.username !== "");
  const isEncrypted = tls !== undefined || urls.some((url) => url.protocol === "tls:");
  return {
    servers: urls.map((url) => url.host),
    name: "troupe",
    ...(login && loginOf(login)),
    ...(credentialsFile !== undefined && { authenticator: loginFromFile(credentialsFile) }),
    ...(isEncrypted && { tls: tlsOf(tls ?? {}, urls) }),
    timeout: requestMs,
    maxReconnectAttempts: -1,
    // Revoked rights may be restored and credentials are renewed, so only the first refusal is final.
    ignoreAuthErrorAbort: true,
    reconnectTimeWait: 200,
    reconnectJitter: 200,
    reconnectJitterTLS: 500,
    pingInterval: 5000,
    maxPingOut: 2,
  };
}

function tlsOf({ caFile, certFile, keyFile }: BusTls, urls: readonly URL[]) {
  for (const file of [caFile, certFile, keyFile]) if (file !== undefined) assertReadable(file);
  if ((certFile === undefined) !== (keyFile === undefined))
    throw new TroupeError("settings", "bus.tls.certFile and bus.tls.keyFile must be set together.");
  return {
    ...definedFields({ caFile, certFile, keyFile }),
    checkServerIdentity: (_: string, certificate: PeerCertificate) => checkName(certificate, urls),
  };
}

/**
 * The client compares with "localhost" if an address is a number. Here the certificate must match one of the given
 * names.
 */
function checkName(certificate: PeerCertificate, urls: readonly URL[]): Error | undefined {
  const wrong = urls.map(({ hostname }) => checkServerIdentity(hostname.replace(/^\[|\]$/g, ""), certificate));
  return wrong.includes(undefined) ? undefined : wrong[0];
}

function assertReadable(file: string): void {
  try {
    accessSync(file, constants.R_OK);
  } catch (error) {
    const why = messageOf(error);
    throw new TroupeError("settings", `cannot read a file of bus.tls: ${why}.`, { cause: error });
  }
}

function parseServer(server: string): URL {
  const text = server.includes("://") ? server : `nats://${server}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && (url.protocol === "nats:" || url.protocol === "tls:") && url.hostname !== "") {
    if (url.port === "") url.port = "4222";
    return url;
  }
  throw new TroupeError(
    "usage",
    `${JSON.stringify(withoutPassword(server))} is not the address of a bus. Write it as nats://host:4222.`,
  );
}

const loginOf = ({ username, password }: URL) =>
  password === ""
    ? { token: decodeURIComponent(username) }
    : { user: decodeURIComponent(username), pass: decodeURIComponent(password) };

const withoutPassword = (server: string): string => server.replace(/^([a-z]+:\/\/)?.*@/i, "$1");

/** A request without an answer after this time is repeated with the same id. */
const requestMs = 4000;
