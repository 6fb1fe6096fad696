import type { ReactNode } from "react";
import { messageOf } from "../../protocol/index.ts";
import { addNotice, closeDialog, visibleLine } from "../../view/index.ts";
import { useFrontend } from "../app-context.ts";
import type { FrontendFacts, TrustFacts } from "../frontend-facts.ts";
import { leaveOrAsk } from "../leave-or-ask.ts";
import { usePanelWidth } from "../panels/panel.tsx";
import { AnswerDialog } from "./answer-dialog.tsx";
import type { AnswerChoice } from "./permission-lines.ts";
import { breakLine, type Line, plainLine, span, withHangingIndent, wrapLine } from "../terminal/terminal-lines.ts";

/** Asks whether to trust the folder's own settings. They apply at once: the session is opened again. */
export function TrustDialog({ facts }: { readonly facts: Pick<FrontendFacts, "trust" | "setNext"> }): ReactNode {
  const frontend = useFrontend();
  const { store, now } = frontend;
  const width = usePanelWidth();
  const { trust } = facts;
  if (!trust) return null;
  const decide = async ({ isApproval }: AnswerChoice): Promise<boolean> => {
    try {
      await trust.decide(isApproval ? "trust" : "decline");
    } catch (error) {
      const text = `cannot store the decision: ${messageOf(error)}`;
      store.setState((state) => addNotice(state, { level: "error", text, until: now() + 10_000 }));
      return false;
    }
    if (!isApproval) store.setState(closeDialog);
    else {
      facts.setNext({ kind: "reopen" });
      leaveOrAsk(frontend);
    }
    return true;
  };
  return (
    <AnswerDialog
      heading={[[span("Do you trust this folder? ", { bold: true })], ...folderLines(trust, width)]}
      request={requestLines(trust, width)}
      choices={choices}
      isBroad={() => false}
      answer={decide}
      isOpen={() => store.getState().dialog.kind === "trust"}
      border={{ role: "warning" }}
    />
  );
}

const choices: readonly AnswerChoice[] = [
  { key: "1", label: "Yes, use these settings", allows: [], isApproval: true, takesComment: false },
  { key: "4", label: "No, work without them", allows: [], isApproval: false, takesComment: false },
];

const folderLines = ({ folder }: TrustFacts, width: number): Line[] =>
  breakLine(plainLine(visibleLine(folder), { dim: true }), width);

/** Every value in full, because the user trusts exactly what is shown. */
function requestLines({ requests }: TrustFacts, width: number): Line[] {
  const values = requests.flatMap(({ source, key, value }): Line[] => [
    ...wrapLine([span(`${visibleLine(source)}: ${visibleLine(key)}`, { role: "accent" })], width),
    ...withHangingIndent(breakLine(plainLine(visibleLine(JSON.stringify(value) ?? "")), width - 2), span("  ")),
  ]);
  return [
    ...wrapLine([span("It has settings that run commands or allow more without a question:")], width),
    ...values,
    ...wrapLine([span("These commands run as you, outside any sandbox.", { role: "warning" })], width),
  ];
}
