import { useEffect, useRef, useState } from "react";
import { type SessionId, visibleLine } from "../../../../src/protocol/index.ts";
import { refocus } from "../../parts/refocus.ts";
import { useSend } from "../../state/use-send.ts";

interface Props {
  readonly session: SessionId;
  readonly team: string;
  /** The members that can receive it. */
  readonly members: readonly string[];
  /** The default receiver. */
  readonly other: string | undefined;
  onSent(): void;
}

const everybody = "*";

/** A message from the user to a member of the team. */
export function WriteMail({ session, team, members, other, onSent }: Props) {
  const send = useSend();
  const [to, setTo] = useState<string | undefined>(undefined);
  const [text, setText] = useState("");
  const [isUrgent, setUrgent] = useState(false);
  const [isSending, setSending] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    setTo(undefined);
  }, [other]);
  // All members receive a message to everybody, so it is sent only if chosen, not because the member list was not
  // loaded yet.
  const isMember = to === everybody || (to !== undefined && members.includes(to));
  const chosen = isMember ? to : (other ?? members[0] ?? everybody);
  const sendMail = async () => {
    if (text.trim() === "" || isSending) return;
    setSending(true);
    const ack = await send(session, { type: "mail.send", team, to: chosen, text, ...(isUrgent && { urgent: true }) });
    setSending(false);
    refocus(field.current);
    if (!ack.ok) return;
    setText("");
    setUrgent(false);
    onSent();
  };
  return (
    <form
      className="write-mail"
      aria-label="Write a message"
      onSubmit={(event) => {
        event.preventDefault();
        void sendMail();
      }}
    >
      <textarea
        ref={field}
        data-composer
        rows={Math.min(8, Math.max(2, text.split("\n").length))}
        value={text}
        placeholder={chosen === everybody ? "Message to all members" : `Message to ${visibleLine(chosen)}`}
        aria-label="Message"
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") event.currentTarget.blur();
          if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          void sendMail();
        }}
      />
      <div className="write-mail-choices">
        <label>
          To{" "}
          <select value={chosen} onChange={(event) => setTo(event.currentTarget.value)}>
            {members.map((name) => (
              <option key={name} value={name}>
                {visibleLine(name)}
              </option>
            ))}
            <option value={everybody}>all members</option>
          </select>
        </label>
        <label title="Stops the receiver's current turn, so that it reads the message at once">
          <input type="checkbox" checked={isUrgent} onChange={(event) => setUrgent(event.currentTarget.checked)} />{" "}
          Urgent
        </label>
        <button type="submit" className="primary" disabled={text.trim() === "" || isSending}>
          Send
        </button>
      </div>
    </form>
  );
}
