import { useState } from "react";
import type { SessionId } from "../../../src/protocol/index.ts";
import { type Addressed, commandsFor } from "../state/agent-commands.ts";
import { useDashboard } from "../state/dashboard-store.ts";
import type { RosterEntry } from "../state/roster.ts";
import { useSend } from "../state/send.ts";

/** Interrupt, stop, respawn: those that make sense for somebody now. To stop somebody takes two clicks. */
export function AgentActions({ entry, session }: { entry: RosterEntry; session: SessionId }) {
  const view = useDashboard((state) => state.views.get(entry.session ?? session));
  const obstacle = useObstacle(session);
  const send = useSend();
  const [asksFor, setAsksFor] = useState<string | undefined>(undefined);
  const { interrupt, stop, respawn } = commandsFor(entry, session, view);
  const order = (addressed: Addressed) => {
    setAsksFor(undefined);
    void send(addressed.session, addressed.command);
  };
  if (obstacle !== undefined) return <p className="soft">{obstacle}</p>;
  if (stop && asksFor === entry.key) {
    return (
      <p className="buttons">
        <button type="button" className="danger" onClick={() => order(stop)}>
          {entry.kind === "lead" ? "Close the session" : "Stop it for good"}
        </button>
        <button type="button" onClick={() => setAsksFor(undefined)}>
          Leave it
        </button>
      </p>
    );
  }
  return (
    <p className="buttons">
      {interrupt && (
        <button type="button" onClick={() => order(interrupt)}>
          Interrupt
        </button>
      )}
      {stop && (
        <button type="button" onClick={() => setAsksFor(entry.key)}>
          {entry.kind === "lead" ? "Close…" : "Stop…"}
        </button>
      )}
      {respawn && (
        <button type="button" onClick={() => order(respawn)}>
          Start it again
        </button>
      )}
    </p>
  );
}

/** Why nothing can be asked of a session from here. */
export function useObstacle(session: SessionId): string | undefined {
  const isReplay = useDashboard((state) => state.replayAt !== undefined);
  const listed = useDashboard((state) => state.sessions?.find(({ id }) => id === session)?.state);
  if (isReplay) return "This is a replay: nothing can be asked of those who are in it.";
  if (listed === "stored") return `No process has this session open. In its folder: troupe --resume ${session}`;
  if (listed === "open") return "The process that has it open cannot be reached from here. Use its terminal.";
  return undefined;
}
