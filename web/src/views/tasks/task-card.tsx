import { memo, type ReactNode, useEffect, useRef } from "react";
import { type WorkItem, visibleLine, visibleText } from "../../../../src/protocol/index.ts";
import { formatAgo, formatDate } from "../../parts/format-amounts.ts";
import { ConfirmButton } from "../../parts/confirm-button.tsx";
import { Markdown } from "../../parts/markdown.tsx";
import { ProofTag } from "../../parts/proof-tag.tsx";
import { displayName } from "../../state/roster.ts";
import { type BoardTask, columnTitles } from "./task-columns.ts";

export type TaskChange = Partial<Pick<WorkItem, "status" | "owner">>;

interface Props {
  readonly placed: BoardTask;
  readonly color: string | undefined;
  /** Possible owners of a task; undefined if nothing can be changed. */
  readonly owners: readonly string[] | undefined;
  readonly now: number;
  /** True if it depends on the highlighted task or the other way round. */
  readonly isRelated: boolean;
  /** The task that was moved from here: it keeps the focus in its new place. */
  readonly moved: { current: number | undefined };
  onPoint(id: number | undefined): void;
  onChange(id: number, change: TaskChange): void;
}

/** One task: its owner, its dependencies, and its proof. */
export const TaskCard = memo(function TaskCard(props: Props) {
  const { placed, color, owners, now, isRelated, moved, onPoint } = props;
  const { task, waitsFor, finishedDependencies: came, unblocks: frees } = placed;
  const card = useRef<HTMLElement>(null);
  useEffect(() => {
    if (moved.current !== task.id) return;
    moved.current = undefined;
    card.current?.focus();
  }, [moved, task.id]);
  return (
    <article
      ref={card}
      className="task"
      id={cardId(task.id)}
      tabIndex={-1}
      draggable={owners !== undefined}
      onDragStart={(event) => {
        event.dataTransfer.setData(taskDragType, String(task.id));
        event.dataTransfer.effectAllowed = "move";
      }}
      data-color={color}
      data-waits={waitsFor.length > 0 || undefined}
      data-related={isRelated || undefined}
      aria-labelledby={`${cardId(task.id)}-name`}
      onPointerEnter={() => onPoint(task.id)}
      onPointerLeave={() => onPoint(undefined)}
    >
      <h4 id={`${cardId(task.id)}-name`}>
        <span className="task-id">#{task.id}</span> {visibleLine(task.subject)}
      </h4>
      {task.status === "in_progress" && task.activeForm !== undefined && (
        <p className="task-doing">{visibleLine(task.activeForm)}</p>
      )}
      <p className="task-facts">
        <span className="task-owner">
          {task.owner === undefined ? "no owner" : visibleLine(displayName(task.owner))}
        </span>
        <ProofTag task={task} />
        <span className="soft">
          <time dateTime={task.updatedAt}>{formatAgo(task.updatedAt, now)}</time>
        </span>
      </p>
      <Others label="Blocked by" tasks={waitsFor} done={came} />
      <Others label="Blocks" tasks={frees} done={[]} />
      <Details task={task}>{owners && <Changes {...props} owners={owners} />}</Details>
    </article>
  );
});

/** The type of the data of a task that is dragged to another column. */
export const taskDragType = "application/x-troupe-task";

export const cardId = (id: number): string => `task-${id}`;

interface OthersProps {
  readonly label: string;
  readonly tasks: readonly WorkItem[];
  /** Those that block nothing any more. */
  readonly done: readonly WorkItem[];
}

function Others({ label, tasks, done }: OthersProps) {
  if (tasks.length + done.length === 0) return null;
  return (
    <p className="task-others">
      <span className="soft">{label}</span>{" "}
      {[...tasks, ...done].map(({ id, subject, status }) => (
        <button
          key={id}
          type="button"
          className="link"
          data-done={status === "completed" || undefined}
          title={visibleLine(subject)}
          aria-label={`Task ${id}, ${visibleLine(subject)}, ${status === "deleted" ? status : columnTitles[status]}`}
          onClick={() => goToTask(id)}
        >
          #{id}
        </button>
      ))}
    </p>
  );
}

/** Focuses the card of a task. Returns false if there is none. */
export function goToTask(id: number): boolean {
  const card = document.querySelector<HTMLElement>(`#${cardId(id)}`);
  card?.scrollIntoView({ block: "center" });
  card?.focus();
  return card !== null;
}

function Details({ task, children }: { task: WorkItem; children: ReactNode }) {
  const { description, acceptance, needs, proofDetail, createdBy, createdAt, metadata } = task;
  const kept = Object.entries(metadata);
  return (
    <details className="task-details">
      <summary>
        Details<span className="unseen"> of task {task.id}</span>
      </summary>
      {description !== "" && <Markdown text={description} />}
      {acceptance.length > 0 && (
        <>
          <h5>Done when these pass</h5>
          <ul>
            {acceptance.map(({ command }, index) => (
              <li key={index}>
                <code>{visibleText(command)}</code>
              </li>
            ))}
          </ul>
        </>
      )}
      {proofDetail !== undefined && (
        <>
          <h5>Evidence</h5>
          <pre>{visibleText(proofDetail)}</pre>
        </>
      )}
      {needs.length > 0 && <p className="soft">Needs {visibleLine(needs.join(", "))}</p>}
      {kept.length > 0 && (
        <dl>
          {kept.map(([name, value]) => (
            <div key={name}>
              <dt>{visibleLine(name)}</dt>
              <dd>{visibleText(typeof value === "string" ? value : JSON.stringify(value))}</dd>
            </div>
          ))}
        </dl>
      )}
      <p className="soft">
        Created by {visibleLine(displayName(createdBy))}, <time dateTime={createdAt}>{formatDate(createdAt)}</time>
      </p>
      {children}
    </details>
  );
}

/** No owner releases the task; a chosen owner gets it. */
function Changes({ placed: { task }, owners, onChange }: Props & { owners: readonly string[] }) {
  const others = task.owner !== undefined && !owners.includes(task.owner) ? [...owners, task.owner] : owners;
  return (
    <div className="task-changes">
      <select
        aria-label={`Owner of task ${task.id}`}
        value={task.owner ?? ""}
        onChange={({ currentTarget: { value } }) =>
          onChange(task.id, value === "" ? { status: "pending" } : { owner: value })
        }
      >
        <option value="">no owner</option>
        {others.map((name) => (
          <option key={name} value={name}>
            {visibleLine(displayName(name))}
          </option>
        ))}
      </select>
      <select
        aria-label={`Status of task ${task.id}`}
        value={task.status}
        onChange={({ currentTarget: { value } }) => onChange(task.id, { status: value as WorkItem["status"] })}
      >
        {Object.entries(columnTitles).map(([status, title]) => (
          <option key={status} value={status}>
            {title}
          </option>
        ))}
      </select>
      <ConfirmButton
        label="Delete"
        confirm="Really delete?"
        title={`Delete task ${task.id}`}
        onConfirm={() => onChange(task.id, { status: "deleted" })}
      />
    </div>
  );
}
