import type { Ack, Command, SessionId } from "../../protocol/index.ts";
import type { SessionFiles } from "../../store/index.ts";
import { listDoors } from "./door-place.ts";
import { knock, type Visit } from "./knock.ts";
import { stateOfClaim } from "./observe-session.ts";

/** Has the process that has a session open carry out a command. Never rejects: the ack says what stands in the way. */
export async function dispatchAtDoor(
  command: Command,
  { home, id, files }: { readonly home: string; readonly id: SessionId; readonly files: SessionFiles },
): Promise<Ack> {
  try {
    for (const door of await listDoors(home)) {
      const visit = door.session === id ? await knock(home, door) : undefined;
      if (visit) return await carryOut(visit, command);
    }
    return stateOfClaim(files) === "stored" ? notRunning(id) : notReachable(id);
  } catch (error) {
    return { ok: false, code: "failed", message: error instanceof Error ? error.message : String(error) };
  }
}

async function carryOut(visit: Visit, command: Command): Promise<Ack> {
  try {
    visit.ask({ ask: "dispatch", id: 1, command });
    for (let said = await visit.next(); said !== undefined; said = await visit.next()) {
      if (said.say === "ack") return said.ack;
      if (said.say === "bye") return { ok: false, code: said.code, message: said.message };
    }
    return lost;
  } finally {
    visit.close();
  }
}

const notRunning = (id: SessionId): Ack => ({
  ok: false,
  code: "not_running",
  message: `nobody has ${id} open: 'troupe --resume ${id}' goes on with it`,
});

const notReachable = (id: SessionId): Ack => ({
  ok: false,
  code: "not_reachable",
  message: `the process that has ${id} open does not answer: use its own terminal`,
});

const lost: Ack = {
  ok: false,
  code: "connection_lost",
  message: "the session's process went away before it answered: look whether it was done, and say it again if not",
};
