import type { ReactNode } from "react";
import type { SessionId } from "../protocol/index.ts";
import { closeDialog, visibleLine } from "../view/index.ts";
import { useAppState, useFace } from "./app-context.ts";
import type { FaceFacts } from "./face-facts.ts";
import { leaveOrAsk } from "./leave.ts";
import { ListDialog, type ListRow } from "./list-dialog.tsx";
import { span } from "./terminal-lines.ts";
import { emptyWords, useFacts } from "./use-facts.ts";

/** The earlier sessions of this folder, to go on with one. */
export function ResumePicker({ facts }: { readonly facts: FaceFacts }): ReactNode {
  const face = useFace();
  const own = useAppState(({ session }) => session.sessionId);
  const sessions = useFacts(facts.sessions);
  const others = sessions.kind === "found" ? sessions.found.filter(({ sessionId }) => sessionId !== own) : [];
  const rows = others.map(({ sessionId, updatedAt, firstPrompt, problem }): ListRow => {
    const words = firstPrompt.replace(/\s+/g, " ").trim();
    return {
      id: sessionId,
      title: [
        span(`${updatedAt.slice(0, 16).replace("T", " ")}  `, { dim: true }),
        span(visibleLine(words === "" ? "(nothing was said)" : words.slice(0, 200))),
      ],
      detail: problem === undefined ? undefined : visibleLine(problem),
    };
  });
  const choose = (id: string) => {
    facts.setNext({ kind: "resume", sessionId: id as SessionId });
    face.store.setState(closeDialog);
    leaveOrAsk(face);
  };
  return (
    <ListDialog
      title="Go on with an earlier session"
      rows={rows}
      empty={emptyWords(sessions, "There is no other session of this folder yet.")}
      choose={{ does: "go on with it", run: choose }}
    />
  );
}
