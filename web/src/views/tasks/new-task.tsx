import { useRef, useState } from "react";
import type { Ack } from "../../../../src/protocol/index.ts";

/** Puts a task on the list. */
export function NewTask({ onCreate }: { onCreate: (subject: string, description: string) => Promise<Ack> }) {
  const [subject, setSubject] = useState("");
  const [description, setDescription] = useState("");
  const [isSending, setSending] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const create = async () => {
    if (subject.trim() === "" || isSending) return;
    setSending(true);
    const ack = await onCreate(subject.trim(), description.trim());
    setSending(false);
    if (!ack.ok) return;
    setSubject("");
    setDescription("");
    field.current?.focus();
  };
  return (
    <form
      className="new-task"
      aria-label="New task"
      onSubmit={(event) => {
        event.preventDefault();
        void create();
      }}
    >
      <input
        ref={field}
        value={subject}
        maxLength={500}
        placeholder="New task"
        aria-label="Subject of the new task"
        onChange={(event) => setSubject(event.currentTarget.value)}
      />
      {subject !== "" && (
        <textarea
          rows={3}
          value={description}
          placeholder="What is to be done, and when it is done"
          aria-label="Description of the new task"
          onChange={(event) => setDescription(event.currentTarget.value)}
        />
      )}
      <button type="submit" className="primary" disabled={subject.trim() === "" || isSending}>
        Create
      </button>
    </form>
  );
}
