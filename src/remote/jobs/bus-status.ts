import type { StreamInfo } from "@nats-io/jetstream";
import {
  type BusAddress,
  type Bus,
  connectBus,
  checkServer,
  type ServerCheck,
  streamPrefix,
} from "../../store/nats/index.ts";
import { type WorkStatus, workStatus } from "./work-status.ts";

/** The state of a bus, for people. */
export interface BusStatus extends WorkStatus {
  readonly server: ServerCheck & { readonly where: string; readonly roundTripMs: number };
  readonly streams: readonly BusStream[];
}

export interface BusStream {
  readonly name: string;
  /** The team of the stream, or undefined for a team's objects. */
  readonly team?: string;
  readonly messages: number;
  readonly bytes: number;
  readonly replicas: number;
  /** Servers of a cluster that lag behind. */
  readonly behind: readonly string[];
  readonly consumers: readonly { readonly name: string; readonly subject: string; readonly lag: number }[];
}

export async function busStatus(address: BusAddress): Promise<BusStatus> {
  const bus = await connectBus(address);
  try {
    const server = { ...(await checkServer(bus)), where: bus.where, roundTripMs: await bus.connection.rtt() };
    const streams: BusStream[] = [];
    for await (const info of bus.jsm.streams.list()) if (isOurs(info)) streams.push(await streamStatus(bus, info));
    return { server, streams, ...(await workStatus(bus)) };
  } finally {
    await bus.close();
  }
}

const isOurs = ({ config: { name } }: StreamInfo) => name.startsWith(streamPrefix) || name.startsWith("OBJ_troupe-");

async function streamStatus(bus: Bus, info: StreamInfo): Promise<BusStream> {
  const { config, state, cluster } = info;
  const consumers: { name: string; subject: string; lag: number }[] = [];
  for await (const each of bus.jsm.consumers.list(config.name))
    consumers.push({ name: each.name, subject: each.config.filter_subject ?? "", lag: each.num_pending });
  const team = /^The team (.*) of Troupe$/.exec(config.description ?? "")?.[1];
  return {
    name: config.name,
    ...(team !== undefined && { team }),
    messages: state.messages,
    bytes: state.bytes,
    replicas: config.num_replicas,
    behind: (cluster?.replicas ?? []).filter(({ current }) => !current).map(({ name }) => name),
    consumers,
  };
}
