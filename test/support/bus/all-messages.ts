import { jetstreamManager } from "@nats-io/jetstream";
import { connect } from "@nats-io/transport-node";

/** The content of all streams, as bytes. */
export async function allMessages(url: string): Promise<Buffer> {
  const { username, password, host } = new URL(url);
  const connection = await connect({ servers: host, user: username, pass: password });
  const manager = await jetstreamManager(connection);
  const all: Uint8Array[] = [];
  for await (const { config, state } of manager.streams.list()) {
    for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
      const message = await manager.streams.getMessage(config.name, { seq });
      if (message) all.push(message.data, Buffer.from(message.subject));
    }
  }
  await connection.close();
  return Buffer.concat(all);
}
