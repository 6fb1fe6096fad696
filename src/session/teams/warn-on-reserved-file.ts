import { relative, resolve } from "node:path";
import { type Agent, escapeSenders } from "../../agent/index.ts";
import { type CallId, type Envelope, type Team, visibleLine } from "../../protocol/index.ts";
import { reservationsOf } from "../../store/index.ts";
import type { InboxConsumer } from "../../team/index.ts";

export interface ReservationPorts {
  /** The teams of the agent, each with its member name. */
  readonly teams: () => readonly { readonly team: Team; readonly me: string; readonly link: InboxConsumer }[];
  readonly agent: Agent;
  /** The agent's current folder. */
  readonly cwd: () => string;
  readonly now: () => number;
}

/**
 * Warns an agent that changes a file another member has reserved, and the member that reserved it, once for each file.
 * Receives all events that the agent stores. Never throws.
 */
export function warnOnReservedFile(ports: ReservationPorts): (envelope: Envelope) => void {
  const warned = new Set<string>();
  const calls = new Map<CallId, string>();

  const touched = (file: string) => {
    for (const { team, me, link } of ports.teams()) {
      const path = relative(team.members[0]?.cwd ?? "/", file);
      const held = reservationsOf(team, { path, at: new Date(ports.now()).toISOString() });
      for (const { by, path: reserved } of held) {
        const newWarnings = JSON.stringify([team.name, by, file]);
        if (by === me || warned.has(newWarnings)) continue;
        warned.add(newWarnings);
        // Ignored: if the log cannot be written, the agent's next record fails and reports it.
        warn({ by, reserved, path, me, link }).catch(() => undefined);
      }
    }
  };

  const warn = async ({ by, reserved, path, me, link }: Touched) => {
    const [file, held] = [path, reserved].map((name) => escapeSenders(JSON.stringify(name)));
    const text = `You changed ${file}. ${escapeSenders(by)} has reserved ${held}. Agree with ${escapeSenders(by)} before you change it again.`;
    await ports.agent.admit("hook", [{ type: "text", text }]);
    await link.send({
      to: by,
      text: `${me} changed ${visibleLine(path)}, which you have reserved (${visibleLine(reserved)}). Read it again before you continue, and agree with ${me} on who changes it.`,
      summary: `${me} changed ${path}`.slice(0, 200),
    });
  };

  return ({ event }) => {
    if (event.type === "tool.called") calls.set(event.callId, ports.cwd());
    if (event.type !== "tool.settled") return;
    const cwd = calls.get(event.callId) ?? ports.cwd();
    calls.delete(event.callId);
    if (event.outcome === "ok" && event.display?.kind === "diff") touched(resolve(cwd, event.display.path));
  };
}

interface Touched {
  readonly by: string;
  readonly reserved: string;
  readonly path: string;
  readonly me: string;
  readonly link: InboxConsumer;
}
