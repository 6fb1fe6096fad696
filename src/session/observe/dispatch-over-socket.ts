import { type Ack, type Command, messageOf, type SessionId } from "../../protocol/index.ts";
import type { SessionFiles } from "../../store/index.ts";
import { listSockets } from "./socket-path.ts";
import { connectSessionSocket, type SocketConnection } from "./connect-session-socket.ts";
import { stateOfClaim } from "./stream-session-events.ts";

/** Sends a command to the process that has the session open. Never rejects: a failure is in the ack. */
export async function dispatchOverSocket(
  command: Command,
  { home, id, files }: { readonly home: string; readonly id: SessionId; readonly files: SessionFiles },
): Promise<Ack> {
  try {
    for (const target of await listSockets(home)) {
      const connection = target.session === id ? await connectSessionSocket(home, target) : undefined;
      if (connection) return await sendCommand(connection, command);
    }
    return stateOfClaim(files) === "stored" ? notRunning(id) : notReachable(id);
  } catch (error) {
    return { ok: false, code: "failed", message: messageOf(error) };
  }
}

async function sendCommand(connection: SocketConnection, command: Command): Promise<Ack> {
  try {
    connection.send({ ask: "dispatch", id: 1, command });
    for (let message = await connection.next(); message !== undefined; message = await connection.next()) {
      if (message.say === "ack") return message.ack;
      if (message.say === "bye") return { ok: false, code: message.code, message: message.message };
    }
    return connectionLost;
  } finally {
    connection.close();
  }
}

const notRunning = (id: SessionId): Ack => ({
  ok: false,
  code: "not_running",
  message: `cannot send the command: session ${id} is not open. Open it with 'troupe --resume ${id}'.`,
});

const notReachable = (id: SessionId): Ack => ({
  ok: false,
  code: "not_reachable",
  message: `cannot send the command: the process that has session ${id} open does not answer. Use its own terminal.`,
});

const connectionLost: Ack = {
  ok: false,
  code: "connection_lost",
  message:
    "the session's process ended before it answered. Check whether the command was executed, and send it again if not.",
};
