import type { ReactNode } from "react";
import { closeDialog, isAgentRow, type ActivityRow, visibleLine } from "../../view/index.ts";
import { useAppState, useFrontend, useKeys } from "../app-context.ts";
import type { FrontendFacts } from "../frontend-facts.ts";
import { actionOf } from "../key-table.ts";
import { stoppedByLeaving } from "../leave-or-ask.ts";
import { Panel, usePanelWidth } from "../panels/panel.tsx";
import { type Line, plainLine, span, wrapLine } from "../terminal/terminal-lines.ts";
import { cutTo } from "../terminal/terminal-width.ts";

/** Asks for confirmation if leaving would stop running agents or commands. */
export function ConfirmLeave({ facts }: { readonly facts: Pick<FrontendFacts, "setNext"> }): ReactNode {
  const { store, leave } = useFrontend();
  const state = useAppState((each) => each);
  const width = usePanelWidth();
  const running = stoppedByLeaving(state);
  useKeys((key) => {
    const action = actionOf("confirm", key.name);
    if (action === "yes") leave();
    if (action === "no") {
      facts.setNext(undefined);
      store.setState(closeDialog);
    }
    return key.name !== "ctrl+z";
  });
  const shown = running.slice(0, 8);
  const left = running.length - shown.length;
  const lines: Line[] = [
    ...wrapLine([span(`Leave? ${running.length} still running:`, { bold: true })], width),
    ...shown.map((task) => plainLine(cutTo(`  ${wordsOf(task)}`, width))),
    ...(left > 0 ? [plainLine(`  and ${left} more`)] : []),
    ...wrapLine([span("They will be stopped. Their work so far is kept; continue it with /resume.")], width),
    [],
    ...wrapLine([span("y leave · n stay", { dim: true })], width),
  ];
  return <Panel lines={lines} border={{ role: "warning" }} />;
}

const wordsOf = (task: ActivityRow): string =>
  isAgentRow(task)
    ? `${visibleLine(task.name)}: ${visibleLine(task.description)}`
    : `$ ${visibleLine(task.description)}`;
