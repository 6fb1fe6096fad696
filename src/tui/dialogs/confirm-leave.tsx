import type { ReactNode } from "react";
import { closeDialog, isAgentRow, type ActivityRow, visibleLine } from "../../view/index.ts";
import { useAppState, useFrontend, useKeys } from "../app-context.ts";
import type { FrontendFacts } from "../frontend-facts.ts";
import { actionOf } from "../key-table.ts";
import { stoppedByLeaving } from "../leave-or-ask.ts";
import { Panel, usePanelWidth } from "../panels/panel.tsx";
import { type Line, plainLine, span, wrapLine } from "../terminal/terminal-lines.ts";
import { cutTo } from "../terminal/terminal-width.ts";

/** Asked before something that runs is stopped by leaving. */
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
    ...wrapLine([span(`Leave? ${running.length} still at work:`, { bold: true })], width),
    ...shown.map((task) => plainLine(cutTo(`  ${wordsOf(task)}`, width))),
    ...(left > 0 ? [plainLine(`  and ${left} more`)] : []),
    ...wrapLine([span("They are stopped; what they have done so far is kept, and /resume goes on with it.")], width),
    [],
    ...wrapLine([span("y leaves · n stays", { dim: true })], width),
  ];
  return <Panel lines={lines} border={{ role: "warning" }} />;
}

const wordsOf = (task: ActivityRow): string =>
  isAgentRow(task)
    ? `${visibleLine(task.name)}: ${visibleLine(task.description)}`
    : `$ ${visibleLine(task.description)}`;
