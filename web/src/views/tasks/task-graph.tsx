import { useMemo } from "react";
import { visibleLine, type WorkItem } from "../../../../src/protocol/index.ts";
import { ProofTag } from "../../parts/proof-tag.tsx";
import { displayName } from "../../state/roster.ts";
import { columnTitles } from "./task-columns.ts";
import { layOutTasks, taskBox, type TaskLine } from "./task-graph-layout.ts";

interface Props {
  readonly tasks: readonly WorkItem[];
  readonly colorOf: (owner: string | undefined) => string | undefined;
  onOpen(id: number): void;
}

/** The tasks by their dependencies, from left to right. A press opens the task on the board. */
export function TaskGraph({ tasks, colorOf, onOpen }: Props) {
  const { tasks: placed, lines, width, height } = useMemo(() => layOutTasks(tasks), [tasks]);
  if (placed.length === 0) return <p className="soft">no tasks</p>;
  return (
    <div className="task-graph" role="region" aria-label="Dependencies" tabIndex={0}>
      <div style={{ width, height }}>
        <svg aria-hidden="true" width={width} height={height}>
          <defs>
            <marker id="task-tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
              <path d="M0 0 8 4 0 8Z" />
            </marker>
          </defs>
          {lines.map((line) => (
            <path
              key={line.id}
              className="task-line"
              data-done={line.from.task.status === "completed" || undefined}
              d={pathOf(line)}
              markerEnd="url(#task-tip)"
            />
          ))}
        </svg>
        {placed.map(({ task, x, y }) => (
          <button
            key={task.id}
            type="button"
            className="task-box"
            data-status={task.status}
            data-color={colorOf(task.owner)}
            style={{ left: x, top: y, width: taskBox.width, height: taskBox.height }}
            onClick={() => onOpen(task.id)}
          >
            <span className="task-box-name">
              <span className="task-id">#{task.id}</span> {visibleLine(task.subject)}
            </span>
            <span className="task-box-facts">
              <span className="task-owner">
                {task.owner === undefined ? "no owner" : visibleLine(displayName(task.owner))}
              </span>
              {task.status !== "deleted" && task.proof === undefined && (
                <span className="soft">{columnTitles[task.status]}</span>
              )}
              <ProofTag task={task} />
            </span>
          </button>
        ))}
      </div>
    </div>
  );
}

function pathOf({ from, to }: TaskLine): string {
  const [x1, y1] = [from.x + taskBox.width, from.y + taskBox.height / 2];
  const [x2, y2] = [to.x - 2, to.y + taskBox.height / 2];
  const bend = Math.max(24, (x2 - x1) / 2);
  return `M${x1} ${y1} C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
}
