import { memo, useEffect, useRef } from "react";
import { type WorkItem, visibleLine, visibleText } from "../../../../src/protocol/index.ts";
import { formatAgo } from "../../parts/format-amounts.ts";
import { ConfirmButton } from "../../parts/confirm-button.tsx";
import { Markdown } from "../../parts/markdown.tsx";
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
        <span className="task-owner">{task.owner === undefined ? "no owner" : visibleLine(task.owner)}</span>
        <Proof task={task} />
        <span className="soft">
          <time dateTime={task.updatedAt}>{formatAgo(task.updatedAt, now)}</time>
        </span>
      </p>
      <Others label="Waits for" tasks={waitsFor} />
      <Others label="After" tasks={came} />
      <Others label="Then" tasks={frees} />
      <Details task={task} />
      {owners && <Changes {...props} owners={owners} />}
    </article>
  );
});

const cardId = (id: number): string => `task-${id}`;

function Proof({ task: { status, proof, acceptance } }: { task: WorkItem }) {
  if (status !== "completed" || proof === undefined)
    return acceptance.length > 0 ? (
      <span className="tag">{acceptance.length === 1 ? "1 check" : `${acceptance.length} checks`}</span>
    ) : null;
  return (
    <span className="tag task-proof" data-proof={proof} title={proofText[proof]}>
      {proof}
    </span>
  );
}

const proofText = {
  claimed: "Reported by its owner; no check has confirmed it",
  verified: "Its checks passed",
  refuted: "Its checks failed",
} as const;

function Others({ label, tasks }: { label: string; tasks: readonly WorkItem[] }) {
  if (tasks.length === 0) return null;
  return (
    <p className="task-others">
      <span className="soft">{label}</span>{" "}
      {tasks.map(({ id, subject, status }) => (
        <button
          key={id}
          type="button"
          className="link"
          title={visibleLine(subject)}
          aria-label={`Task ${id}, ${visibleLine(subject)}, ${status === "deleted" ? status : columnTitles[status]}`}
          onClick={() => goTo(id)}
        >
          #{id}
        </button>
      ))}
    </p>
  );
}

function goTo(id: number): void {
  const card = document.querySelector<HTMLElement>(`#${cardId(id)}`);
  card?.scrollIntoView({ block: "center" });
  card?.focus();
}

function Details({ task }: { task: WorkItem }) {
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
        Created by {visibleLine(createdBy)},{" "}
        <time dateTime={createdAt}>{new Date(createdAt).toLocaleString("en-GB")}</time>
      </p>
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
            {visibleLine(name)}
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
