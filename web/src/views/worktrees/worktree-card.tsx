import { useState } from "react";
import { type SessionId, visibleLine, type WorkItem, type WorktreeListing } from "../../../../src/protocol/index.ts";
import { AgentName, Avatar } from "../../parts/agent-name.tsx";
import { hrefOf } from "../../route.ts";
import type { RosterEntry } from "../../state/roster.ts";
import { WorktreeDiff } from "./worktree-diff.tsx";
import { statusTexts, type WorktreeStatus } from "./worktree-status.ts";

interface Props {
  readonly session: SessionId;
  readonly worktree: WorktreeListing;
  /** The agent that works in it, if it belongs to this session. */
  readonly entry: RosterEntry | undefined;
  /** The task that its agent works on, or worked on last. */
  readonly task: WorkItem | undefined;
  readonly status: WorktreeStatus;
  /** True if its branch is selected for landing; undefined if it cannot be landed. */
  readonly isChosen: boolean | undefined;
  onChoose(isChosen: boolean): void;
}

/** A worktree: its agent, its content, and its changes. */
export function WorktreeCard({ session, worktree, entry, task, status, isChosen, onChoose }: Props) {
  const { name, path, branch, state, commits, files, reasons } = worktree;
  const [isShown, setShown] = useState(false);
  const title = visibleLine(branch ?? name);
  // The number of commits is shown beside its name.
  const held = reasons.filter((reason) => !/^commits: \d+ that/.test(reason));
  return (
    <article className="worktree" data-color={entry?.color ?? ""} aria-label={title}>
      <header>
        {isChosen !== undefined && (
          <input
            type="checkbox"
            aria-label={`Land ${title}`}
            checked={isChosen}
            onChange={(event) => onChoose(event.currentTarget.checked)}
          />
        )}
        <h3>
          <Owner session={session} entry={entry} />
          {task && <span className="worktree-task">{visibleLine(`#${task.id} ${task.subject}`)}</span>}
        </h3>
        <span className="tag worktree-status" data-status={status} title={statusTexts[status].title}>
          {statusTexts[status].label}
        </span>
        <span className="soft">{commits === 1 ? "1 commit" : `${commits} commits`}</span>
      </header>
      <p className="worktree-facts">
        <code title={stateTitles[state]}>{title}</code>
        <code className="soft">{visibleLine(path)}</code>
      </p>
      {held.length > 0 && (
        <ul className="worktree-held soft" aria-label={`What ${title} contains in addition to commits`}>
          {held.map((reason) => (
            <li key={reason}>{visibleLine(reason)}</li>
          ))}
        </ul>
      )}
      {status === "landed" && <p className="soft">Everything has landed: it contains nothing else.</p>}
      {files.length === 0 ? <p className="soft">No changed files.</p> : <Stat files={files} title={title} />}
      {files.length > 0 && (
        <button type="button" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
          {isShown ? "Hide" : "Show"} the diff <span className="unseen">of {title}</span>
        </button>
      )}
      {isShown && <WorktreeDiff session={session} worktree={worktree} />}
    </article>
  );
}

/** The agent, with a link to its transcript. */
function Owner({ session, entry }: Pick<Props, "session" | "entry">) {
  if (!entry) return <span className="soft">another session</span>;
  const name = (
    <>
      <Avatar entry={entry} />
      <AgentName entry={entry} />
    </>
  );
  if (!entry.agent) return name;
  return <a href={hrefOf(session, "transcript", { agent: entry.agent.id })}>{name}</a>;
}

const stateTitles: Readonly<Record<string, string>> = {
  making: "Being created",
  live: "Its agent works in it",
  landing: "Its branch is being landed",
  kept: "Its agent has left it; it still contains changes",
  left: "Its process has ended; its content has not been checked yet",
  removing: "Being removed",
  foreign: "Its branch belongs to Troupe, but it is not in our records",
};

/** Number of files listed at first. */
const firstShown = 15;

function Stat({ files, title }: { files: WorktreeListing["files"]; title: string }) {
  const [most, setMost] = useState(firstShown);
  const [added, removed] = [sum(files, "added"), sum(files, "removed")];
  return (
    <table className="worktree-files">
      <caption>
        {files.length === 1 ? "1 file" : `${files.length} files`} <Count added={added} removed={removed} />
        <span className="unseen">in {title}</span>
      </caption>
      <tbody>
        {files.slice(0, most).map((file) => (
          <tr key={file.path}>
            <th scope="row">{visibleLine(file.path)}</th>
            <td>
              {file.added === null ? (
                <span className="soft">not counted</span>
              ) : (
                <Count added={file.added} removed={file.removed ?? 0} />
              )}
            </td>
          </tr>
        ))}
        {files.length > most && (
          <tr>
            <td colSpan={2}>
              <button type="button" className="link" onClick={() => setMost(files.length)}>
                {files.length - most} more
              </button>
            </td>
          </tr>
        )}
      </tbody>
    </table>
  );
}

function Count({ added, removed }: { added: number; removed: number }) {
  return (
    <span className="worktree-count">
      <span className="worktree-added">+{added}</span> <span className="worktree-removed">−{removed}</span>
    </span>
  );
}

const sum = (files: WorktreeListing["files"], what: "added" | "removed"): number =>
  files.reduce((all, file) => all + (file[what] ?? 0), 0);
