import type { ReactNode } from "react";
import { oneLine, type SessionId } from "../../protocol/index.ts";
import { closeDialog, visibleLine } from "../../view/index.ts";
import { useAppState, useFrontend } from "../app-context.ts";
import type { FrontendFacts } from "../frontend-facts.ts";
import { leaveOrAsk } from "../leave-or-ask.ts";
import { ListDialog, type ListRow } from "./list-dialog.tsx";
import { span } from "../terminal/terminal-lines.ts";
import { emptyListText, useFacts } from "../use-facts.ts";

/** Lists the earlier sessions of this folder, to resume one. */
export function ResumePicker({ facts }: { readonly facts: FrontendFacts }): ReactNode {
  const frontend = useFrontend();
  const own = useAppState(({ session }) => session.sessionId);
  const sessions = useFacts(facts.sessions);
  const others = sessions.kind === "found" ? sessions.found.filter(({ sessionId }) => sessionId !== own) : [];
  const rows = others.map(({ sessionId, updatedAt, firstPrompt, problem }): ListRow => {
    const emptyText = oneLine(firstPrompt);
    return {
      id: sessionId,
      title: [
        span(`${updatedAt.slice(0, 16).replace("T", " ")}  `, { dim: true }),
        span(visibleLine(emptyText === "" ? "(no prompt)" : emptyText.slice(0, 200))),
      ],
      detail: problem === undefined ? undefined : visibleLine(problem),
    };
  });
  const choose = (id: string) => {
    facts.setNext({ kind: "resume", sessionId: id as SessionId });
    frontend.store.setState(closeDialog);
    leaveOrAsk(frontend);
  };
  return (
    <ListDialog
      title="Resume a session"
      rows={rows}
      empty={emptyListText(sessions, "There is no other session in this folder.")}
      choose={{ does: "resume it", run: choose }}
    />
  );
}
