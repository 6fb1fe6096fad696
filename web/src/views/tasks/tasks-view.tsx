import { type DragEvent, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { type SessionId, teamLead, visibleLine, type WorkItem } from "../../../../src/protocol/index.ts";
import { emptyView, type SessionView } from "../../../../src/view/index.ts";
import { ChoiceGroup } from "../../parts/choice-group.tsx";
import { useDashboard } from "../../state/dashboard-store.ts";
import { useNavigation } from "../../state/navigation.ts";
import { useDisplayedTime } from "../../state/use-displayed-time.ts";
import { useReadOnlyReason } from "../../state/use-read-only-reason.ts";
import { useSend } from "../../state/use-send.ts";
import { NewTask, type WantedTask } from "./new-task.tsx";
import { goToTask, TaskCard, taskDragType, type TaskChange } from "./task-card.tsx";
import { TaskGraph } from "./task-graph.tsx";
import { type BoardTask, type ColumnName, columnTitles, taskColumns } from "./task-columns.ts";
import "./tasks-view.css";

/** The task board of a team, or of a session without a team. */
export function TasksView({ session }: { session: SessionId }) {
  const lists = useDashboard((state) => state.views.get(session)?.tasks ?? emptyView.tasks);
  const teams = useDashboard((state) => state.views.get(session)?.teams ?? emptyView.teams);
  const memberships = useDashboard((state) => state.views.get(session)?.memberships ?? emptyView.memberships);
  const names = useMemo(() => listNames(lists, memberships), [lists, memberships]);
  const [chosen, setChosen] = useState<string | undefined>(undefined);
  const name = chosen !== undefined && names.includes(chosen) ? chosen : (names[0] ?? "");
  const tasks = lists.get(name) ?? nothing;
  const columns = useMemo(() => taskColumns(tasks), [tasks]);
  const { now } = useDisplayedTime(session, 10_000);
  const readOnlyReason = readOnlyReasonFor(name, memberships);
  const away = useReadOnlyReason(session) ?? readOnlyReason;

  const members = teams.get(name)?.members ?? noMembers;
  const colors = useMemo(() => new Map(members.map((member) => [member.name, member.color])), [members]);
  const colorOf = useCallback(
    (owner: string | undefined) => (owner === undefined ? undefined : (colors.get(owner) ?? "")),
    [colors],
  );
  const [shows, setShows] = useState<"board" | "graph">("board");
  const owners = useMemo(
    () => [
      teamLead,
      ...members.filter(({ ended, role }) => ended === undefined && role !== "lead").map((member) => member.name),
    ],
    [members],
  );
  const setWanted = useWantedTask(tasks);
  const [pointed, setPointed] = useState<number | undefined>(undefined);
  const related = useMemo(() => relatedTo(tasks, pointed), [tasks, pointed]);

  const send = useSend();
  const moved = useRef<number | undefined>(undefined);
  const team = useMemo(() => (name === "" ? {} : { team: name }), [name]);
  const change = useCallback(
    (taskId: number, patch: TaskChange) => {
      // The task appears in another column.
      moved.current = patch.status === undefined ? undefined : taskId;
      void send(session, { type: "task.update", ...team, taskId, ...patch }).then((ack) => {
        if (!ack.ok) moved.current = undefined;
      });
    },
    [send, session, team],
  );
  const create = ({ subject, description, after }: WantedTask) =>
    send(session, {
      type: "task.create",
      ...team,
      subject,
      ...(description !== "" && { description }),
      ...(after.length > 0 && { blockedBy: [...after] }),
    });

  const openOnBoard = (id: number) => {
    setShows("board");
    setWanted(id);
  };
  const unverified = columns.completed.filter(({ task }) => task.proof === "claimed").length;
  const shown = tasks.filter(({ status }) => status !== "deleted").length;
  return (
    <section className="tasks-view" aria-labelledby="tasks-title">
      <div className="tasks-bar">
        <h2 id="tasks-title">Tasks</h2>
        <p className="soft" role="status">
          {shown === 0 ? "no tasks" : `${columns.completed.length} of ${shown} completed`}
          {unverified > 0 && ` · ${unverified} unverified`}
        </p>
        <ChoiceGroup label="Show as" value={shows} onChange={setShows} options={{ board: "Board", graph: "Graph" }} />
        {names.length > 1 && (
          <ChoiceGroup
            label="List"
            value={name}
            onChange={setChosen}
            options={Object.fromEntries(names.map((each) => [each, each === "" ? "This session" : visibleLine(each)]))}
          />
        )}
      </div>
      {away === undefined ? (
        <NewTask key={name} tasks={tasks} onCreate={create} />
      ) : (
        <p className="tasks-note soft">{away}</p>
      )}
      {shows === "graph" && <TaskGraph tasks={tasks} colorOf={colorOf} onOpen={openOnBoard} />}
      <div className="tasks-columns" hidden={shows === "graph"}>
        {columnNames.map((column) => (
          <Column
            key={column}
            name={column}
            tasks={columns[column]}
            onDrop={away === undefined ? (id) => change(id, { status: column }) : undefined}
          >
            {(placed) => (
              <TaskCard
                placed={placed}
                color={colorOf(placed.task.owner)}
                owners={away === undefined ? owners : undefined}
                now={now}
                isRelated={related.has(placed.task.id)}
                moved={moved}
                onPoint={setPointed}
                onChange={change}
              />
            )}
          </Column>
        ))}
      </div>
    </section>
  );
}

/** Focuses the task that the address names, or that is set. */
function useWantedTask(tasks: readonly WorkItem[]): (id: number) => void {
  const { route } = useNavigation();
  const at = route.kind === "session" ? Number(route.at) : undefined;
  const [wanted, setWanted] = useState<number | undefined>(undefined);
  useEffect(() => {
    if (at !== undefined && !Number.isNaN(at)) setWanted(at);
  }, [at]);
  useEffect(() => {
    if (wanted !== undefined && goToTask(wanted)) setWanted(undefined);
  }, [wanted, tasks]);
  return setWanted;
}

const nothing: readonly WorkItem[] = [];
const noMembers: NonNullable<ReturnType<SessionView["teams"]["get"]>>["members"] = [];
const columnNames = Object.keys(columnTitles) as ColumnName[];

/** Number of tasks that a column shows at first. */
const firstShown = 100;

interface ColumnProps {
  readonly name: ColumnName;
  readonly tasks: readonly BoardTask[];
  readonly children: (placed: BoardTask) => React.ReactNode;
  /** Moves a task here that was dragged; undefined if nothing can be changed. */
  readonly onDrop: ((id: number) => void) | undefined;
}

function Column({ name, tasks, children, onDrop }: ColumnProps) {
  const [most, setMost] = useState(firstShown);
  const [isOver, setOver] = useState(false);
  const isTask = (event: DragEvent) => onDrop !== undefined && event.dataTransfer.types.includes(taskDragType);
  return (
    <section
      className="tasks-column"
      aria-labelledby={`tasks-${name}`}
      data-column={name}
      data-over={isOver || undefined}
      onDragOver={(event) => {
        if (!isTask(event)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false);
      }}
      onDrop={(event) => {
        setOver(false);
        const id = Number(event.dataTransfer.getData(taskDragType));
        if (!isTask(event) || tasks.some(({ task }) => task.id === id)) return;
        event.preventDefault();
        onDrop?.(id);
      }}
    >
      <h3 id={`tasks-${name}`}>
        {columnTitles[name]} <span className="soft">{tasks.length}</span>
      </h3>
      {tasks.length === 0 && <p className="soft">none</p>}
      <ul>
        {tasks.slice(0, most).map((placed) => (
          <li key={placed.task.id}>{children(placed)}</li>
        ))}
      </ul>
      {tasks.length > most && (
        <button type="button" onClick={() => setMost(most + firstShown)}>
          {tasks.length - most} more
        </button>
      )}
    </section>
  );
}

/**
 * The lists of the session's teams, the last joined first. The session's own list is included if there is no team or it
 * has tasks.
 */
function listNames(lists: SessionView["tasks"], memberships: SessionView["memberships"]): readonly string[] {
  const teams = new Set([...[...memberships.keys()].reverse(), ...[...lists.keys()].filter((name) => name !== "")]);
  const hasOwn = teams.size === 0 || (lists.get("")?.some(({ status }) => status !== "deleted") ?? false);
  return [...teams, ...(hasOwn ? [""] : [])];
}

/** Why a list cannot be changed through this session. */
function readOnlyReasonFor(list: string, memberships: SessionView["memberships"]): string | undefined {
  if (list === "")
    return memberships.size === 0 ? undefined : "This is the session's own list, from before it had a team.";
  return memberships.get(list)?.role === "lead"
    ? undefined
    : "Change the tasks of a team in the session that leads it.";
}

function relatedTo(tasks: readonly WorkItem[], id: number | undefined): ReadonlySet<number> {
  const task = tasks.find((each) => each.id === id);
  return new Set(task ? [...task.blockedBy, ...task.blocks] : []);
}
