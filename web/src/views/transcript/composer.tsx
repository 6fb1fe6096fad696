import { useRef, useState } from "react";
import { type SessionId, visibleLine } from "../../../../src/protocol/index.ts";
import { ConfirmButton } from "../../parts/confirm-button.tsx";
import { isFile } from "../../parts/is-file.ts";
import { refocus } from "../../parts/refocus.ts";
import { type AddressedCommand, commandsFor } from "../../state/agent-commands.ts";
import { useDashboard } from "../../state/dashboard-store.ts";
import type { RosterEntry } from "../../state/roster.ts";
import { useSend } from "../../state/use-send.ts";

/** Sends prompts to the displayed agent, and stops or starts it. */
export function Composer({ session, entry }: { session: SessionId; entry: RosterEntry | undefined }) {
  const send = useSend();
  const listing = useDashboard((state) => state.sessions?.find(({ id }) => id === session));
  const view = useDashboard((state) => state.views.get(entry?.session ?? session));
  const [text, setText] = useState("");
  const [isSending, setSending] = useState(false);
  const [isStopping, setStopping] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const isReplay = useDashboard((state) => state.replayAt !== undefined);
  if (!entry || isReplay || isFile()) return null;
  if (listing?.state !== "reachable") return <Closed state={listing?.state} session={session} />;

  const commands = commandsFor(entry, session, view);
  const sendCommand = ({ session, command }: AddressedCommand) => send(session, command);
  const stop = async (command: AddressedCommand) => {
    // The answer comes when the member has ended.
    setStopping(true);
    if (!(await sendCommand(command)).ok) setStopping(false);
  };
  const sendPrompt = async () => {
    const said = commands.prompt(text);
    if (!said || text.trim() === "" || isSending) return;
    setSending(true);
    const ack = await send(said.session, said.command);
    setSending(false);
    if (ack.ok) setText("");
    refocus(field.current);
  };
  const canPrompt = commands.prompt("…") !== undefined;
  const name = visibleLine(entry.name);
  return (
    <form
      className="composer"
      aria-label={`Write to ${name}`}
      onSubmit={(event) => {
        event.preventDefault();
        void sendPrompt();
      }}
    >
      {canPrompt && (
        <textarea
          ref={field}
          data-composer
          rows={Math.min(8, Math.max(1, text.split("\n").length))}
          value={text}
          placeholder={`Message to ${name}`}
          aria-label={`Message to ${name}`}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === "Escape") event.currentTarget.blur();
            if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
            event.preventDefault();
            void sendPrompt();
          }}
        />
      )}
      <div className="buttons">
        {canPrompt && (
          <button type="submit" className="primary" disabled={text.trim() === "" || isSending}>
            Send
          </button>
        )}
        {commands.interrupt && (
          <button
            type="button"
            title="Stops only its current turn"
            onClick={() => commands.interrupt && void sendCommand(commands.interrupt)}
          >
            Interrupt
          </button>
        )}
        {commands.stop && isStopping && (
          <p className="composer-stopping soft" role="status">
            {name} is asked to end, and has time to answer.
          </p>
        )}
        {commands.stopNow && isStopping && (
          <ConfirmButton
            label="Stop now"
            confirm={`Really stop ${name} now?`}
            onConfirm={() => commands.stopNow && void sendCommand(commands.stopNow)}
          />
        )}
        {commands.stop && !isStopping && (
          <ConfirmButton
            label={entry.kind === "lead" ? "End session" : "Stop"}
            confirm={entry.kind === "lead" ? "Really end the session?" : `Really stop ${name}?`}
            onConfirm={() => commands.stop && void stop(commands.stop)}
          />
        )}
        {commands.respawn && (
          <button
            type="button"
            title="Starts it again from its log"
            onClick={() => {
              setStopping(false);
              if (commands.respawn) void sendCommand(commands.respawn);
            }}
          >
            Respawn
          </button>
        )}
      </div>
    </form>
  );
}

function Closed({ state, session }: { state: "stored" | "open" | undefined; session: SessionId }) {
  return (
    <p className="composer-note soft">
      {state === "open" ? (
        "Cannot reach the process that has this session open. Write in its terminal."
      ) : (
        <>
          No process has this session open: <code>troupe --resume {session}</code> resumes it.
        </>
      )}
    </p>
  );
}
