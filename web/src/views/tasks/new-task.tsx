import { useRef, useState } from "react";
import { type Ack, visibleLine, type WorkItem } from "../../../../src/protocol/index.ts";
import { refocus } from "../../parts/refocus.ts";

export interface WantedTask {
  readonly subject: string;
  readonly description: string;
  /** The tasks that it waits for. */
  readonly after: readonly number[];
}

interface Props {
  readonly tasks: readonly WorkItem[];
  onCreate(task: WantedTask): Promise<Ack>;
}

export function NewTask({ tasks, onCreate }: Props) {
  const [subject, setSubject] = useState("");
  const [description, setDescription] = useState("");
  const [after, setAfter] = useState<readonly number[]>([]);
  const [isSending, setSending] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const create = async () => {
    if (subject.trim() === "" || isSending) return;
    setSending(true);
    const ack = await onCreate({ subject: subject.trim(), description: description.trim(), after });
    setSending(false);
    if (!ack.ok) return;
    setSubject("");
    setDescription("");
    setAfter([]);
    refocus(field.current);
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
        <>
          <textarea
            rows={3}
            value={description}
            placeholder="What to do, and when it is complete"
            aria-label="Description of the new task"
            onChange={(event) => setDescription(event.currentTarget.value)}
          />
          <After tasks={tasks} after={after} onChange={setAfter} />
        </>
      )}
      <button type="submit" className="primary" disabled={subject.trim() === "" || isSending}>
        Create
      </button>
    </form>
  );
}

/** Maximum number of tasks to choose from, latest first. */
const maxOffered = 500;

interface AfterProps {
  readonly tasks: readonly WorkItem[];
  readonly after: readonly number[];
  onChange(after: readonly number[]): void;
}

/** The tasks that it waits for: added one by one, and removed with a press. */
function After({ tasks, after, onChange }: AfterProps) {
  const choice = useRef<HTMLSelectElement>(null);
  const open = tasks.filter(
    ({ id, status }) => (status === "pending" || status === "in_progress") && !after.includes(id),
  );
  if (open.length === 0 && after.length === 0) return null;
  const words = (id: number) =>
    visibleLine(`#${id} ${tasks.find((task) => task.id === id)?.subject ?? ""}`.slice(0, 80));
  return (
    <div className="new-task-after">
      <select
        ref={choice}
        value=""
        aria-label="Waits for"
        onChange={(event) => onChange([...after, Number(event.currentTarget.value)])}
      >
        <option value="" disabled>
          {after.length === 0 ? "Waits for nothing" : "Add another…"}
        </option>
        {open
          .toReversed()
          .slice(0, maxOffered)
          .map(({ id }) => (
            <option key={id} value={id}>
              {words(id)}
            </option>
          ))}
      </select>
      {after.map((id) => (
        <button
          key={id}
          type="button"
          aria-label={`Do not wait for ${words(id)}`}
          onClick={() => {
            onChange(after.filter((each) => each !== id));
            choice.current?.focus();
          }}
        >
          <span className="new-task-chosen">{words(id)}</span> <span aria-hidden="true">×</span>
        </button>
      ))}
    </div>
  );
}
