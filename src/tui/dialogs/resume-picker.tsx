import { type ReactNode, useState } from "react";
import { oneLine, type SessionId } from "../../protocol/index.ts";
import { closeDialog, visibleLine } from "../../view/index.ts";
import { useAppState, useFrontend } from "../app-context.ts";
import { formatAge } from "../format-counts.ts";
import type { FrontendFacts, SessionFact } from "../frontend-facts.ts";
import { leaveOrAsk } from "../leave-or-ask.ts";
import { usePanelWidth } from "../panels/panel.tsx";
import { ListDialog, type ListRow } from "./list-dialog.tsx";
import { span } from "../terminal/terminal-lines.ts";
import { cutTo, widthOf } from "../terminal/terminal-width.ts";
import { emptyListText, useFacts } from "../use-facts.ts";

/** Lists earlier sessions, to resume one: those of this folder, or of all folders. Typed text searches. */
export function ResumePicker({ facts }: { readonly facts: FrontendFacts }): ReactNode {
  const frontend = useFrontend();
  const width = usePanelWidth();
  const { sessionId: own, cwd } = useAppState(({ session }) => session);
  const sessions = useFacts(facts.sessions);
  const [isEverywhere, setEverywhere] = useState(false);
  const others = sessions.kind === "found" ? sessions.found.filter(({ sessionId }) => sessionId !== own) : [];
  const shown = isEverywhere ? others : others.filter((session) => session.cwd === cwd);
  const now = frontend.now();
  const rows = shown.map((session) => sessionRow(session, { width, now, isEverywhere }));
  const choose = (id: string) => {
    facts.setNext({ kind: "resume", sessionId: id as SessionId });
    frontend.store.setState(closeDialog);
    leaveOrAsk(frontend);
  };
  const inOtherFolders = others.length - shown.length;
  const none = `There is no other session in this folder.${inOtherFolders > 0 ? ` Tab shows ${inOtherFolders} of other folders.` : ""}`;
  return (
    <ListDialog
      title={isEverywhere ? "Resume a session of any folder" : "Resume a session of this folder"}
      rows={rows}
      empty={emptyListText(sessions, none)}
      choose={{ does: "resume it", run: choose }}
      toggle={{ does: isEverywhere ? "this folder" : "all folders", run: () => setEverywhere(!isEverywhere) }}
      isSearchable
    />
  );
}

interface RowLook {
  readonly width: number;
  readonly now: number;
  readonly isEverywhere: boolean;
}

const ageColumns = 12;

/** One line: the age, the name or the first prompt, and the folder if sessions of all folders are shown. */
function sessionRow(session: SessionFact, { width, now, isEverywhere }: RowLook): ListRow {
  const { sessionId, updatedAt, firstPrompt, name, folder, turns, problem } = session;
  const age = formatAge(now - Date.parse(updatedAt));
  const prompt = visibleLine(oneLine(firstPrompt));
  const title = name === undefined ? (prompt === "" ? "(no prompt)" : prompt) : visibleLine(name);
  const about = [
    ...(turns === undefined ? [] : [`${turns} ${turns === 1 ? "turn" : "turns"}`]),
    ...(isEverywhere ? [visibleLine(folder)] : []),
  ].join(" · ");
  const room = width - 2 - ageColumns;
  const end = about === "" ? "" : `  ${cutTo(about, Math.floor(room / 2))}`;
  return {
    id: sessionId,
    title: [
      span(age.padEnd(ageColumns), { dim: true }),
      span(cutTo(title, room - widthOf(end)), { bold: name !== undefined }),
      span(end, { dim: true }),
    ],
    detail: problem === undefined ? undefined : visibleLine(problem),
    words: [title, prompt, folder, sessionId].join("\n"),
  };
}
