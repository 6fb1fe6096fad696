import { type ReactNode, useState } from "react";
import {
  closeDialog,
  enterTeammateView,
  isAgentRow,
  isFinished,
  type ShellRow,
  visibleRows,
  stopOrDismissAgent,
  type ActivityRow,
  visibleLine,
  visibleText,
} from "../../view/index.ts";
import { type Frontend, useAppState, useFrontend } from "../app-context.ts";
import { ListDialog, type ListRow } from "./list-dialog.tsx";
import { formatDuration } from "../format-counts.ts";
import { plainLine, span } from "../terminal/terminal-lines.ts";
import type { Style } from "../theme.ts";
import { useNow } from "../use-now.ts";

/** Lists the background agents and commands. The user can view, stop or dismiss each. */
export function BackgroundDialog(): ReactNode {
  const frontend = useFrontend();
  const state = useAppState((each) => each);
  const now = useNow(true);
  const [looking, setLooking] = useState<string>();
  const tasks = visibleRows(state, now);
  const shell = tasks.find((task): task is ShellRow => task.id === looking && task.type === "local_bash");
  if (shell) return <ShellOutput task={shell} now={now} onClose={() => setLooking(undefined)} />;

  const look = (id: string) => {
    const task = state.activityRows.get(id);
    if (!task || !isAgentRow(task)) return setLooking(id);
    frontend.store.setState((each) => enterTeammateView(closeDialog(each), id, frontend.now()));
  };
  return (
    <ListDialog
      title="In the background"
      rows={tasks.map((task) => taskRow(task, now))}
      empty="Nothing is running. Background agents and commands appear here."
      choose={{ does: "view", run: look }}
      stop={{ does: "stop or dismiss", run: (id) => stopOrDismiss(frontend, id) }}
    />
  );
}

/** The x key: stops a running job, and dismisses an ended one. */
export function stopOrDismiss({ store, send, now }: Pick<Frontend, "store" | "send" | "now">, id: string): void {
  const { state, command } = stopOrDismissAgent(store.getState(), id, now());
  store.setState(() => state);
  if (command) void send(command);
}

function ShellOutput({
  task,
  now,
  onClose,
}: {
  readonly task: ShellRow;
  readonly now: number;
  readonly onClose: () => void;
}): ReactNode {
  const output = visibleText(task.outputTail).trimEnd();
  const lines = output === "" ? [] : output.split("\n").slice(-200);
  const rows: ListRow[] = [
    ...lines.map((line, index) => ({ id: String(index), title: plainLine(line) })),
    ...(task.outputFile === undefined
      ? []
      : [{ id: "file", title: [span(`full output: ${visibleLine(task.outputFile)}`, { dim: true })] }]),
  ];
  return (
    <ListDialog
      title={`${visibleLine(task.description)} · ${statusOf(task, now).words}`}
      rows={rows}
      empty="No output yet."
      onClose={onClose}
    />
  );
}

function taskRow(task: ActivityRow, now: number): ListRow {
  const { words, style } = statusOf(task, now);
  const name = isAgentRow(task) ? visibleLine(task.name) : "$";
  const color: Style = isAgentRow(task) && task.color !== undefined ? { agent: task.color } : { role: "accent" };
  const about = visibleLine(task.description);
  return {
    id: task.id,
    title: [span(name, color), span(about === name ? "" : ` ${about}`), span(` · ${words}`, style)],
    detail: task.error === undefined ? undefined : visibleLine(task.error),
  };
}

function statusOf(task: ActivityRow, now: number): { readonly words: string; readonly style: Style } {
  const time = formatDuration(Math.max(0, (task.endTime ?? now) - task.startTime));
  if (isFinished(task)) {
    const style: Style = task.status === "completed" ? { role: "success" } : { role: "error" };
    return { words: `${ended[task.status]} after ${time}`, style };
  }
  if (isAgentRow(task) && task.waitingSince !== undefined)
    return { words: `waiting for permission, ${time}`, style: { role: "warning" } };
  if (isAgentRow(task) && task.isIdle) return { words: `idle, ${time}`, style: { dim: true } };
  return { words: `${task.status === "pending" ? "starts" : "runs"}, ${time}`, style: { dim: true } };
}

const ended = { completed: "done", failed: "failed", killed: "stopped", running: "runs", pending: "starts" } as const;
