import type { ReactNode } from "react";
import type { SessionId } from "../../protocol/index.ts";
import { closeDialog, visibleLine } from "../../view/index.ts";
import { useAppState, useFrontend } from "../app-context.ts";
import type { FrontendFacts } from "../frontend-facts.ts";
import { leaveOrAsk } from "../leave-or-ask.ts";
import { ListDialog, type ListRow } from "./list-dialog.tsx";
import { span } from "../terminal/terminal-lines.ts";
import { emptyListText, useFacts } from "../use-facts.ts";

/** The earlier sessions of this folder, to go on with one. */
export function ResumePicker({ facts }: { readonly facts: FrontendFacts }): ReactNode {
  const frontend = useFrontend();
  const own = useAppState(({ session }) => session.sessionId);
  const sessions = useFacts(facts.sessions);
  const others = sessions.kind === "found" ? sessions.found.filter(({ sessionId }) => sessionId !== own) : [];
  const rows = others.map(({ sessionId, updatedAt, firstPrompt, problem }): ListRow => {
    const emptyText = firstPrompt.replace(/\s+/g, " ").trim();
    return {
      id: sessionId,
      title: [
        span(`${updatedAt.slice(0, 16).replace("T", " ")}  `, { dim: true }),
        span(visibleLine(emptyText === "" ? "(nothing was said)" : emptyText.slice(0, 200))),
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
      title="Go on with an earlier session"
      rows={rows}
      empty={emptyListText(sessions, "There is no other session of this folder yet.")}
      choose={{ does: "go on with it", run: choose }}
    />
  );
}
