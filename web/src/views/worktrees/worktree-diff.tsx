import { useEffect, useMemo, useState } from "react";
import * as z from "zod";
import { messageOf, type SessionId, visibleLine, type WorktreeListing } from "../../../../src/protocol/index.ts";
import { Diff } from "../../parts/diff.tsx";
import { diffRows } from "../../parts/diff-rows.ts";
import { fetchJson } from "../../state/fetch-json.ts";
import { type DiffFile, diffFiles } from "./diff-files.ts";

const Answer = z.object({ diff: z.string() });

/** Files with fewer rows are open at once, if there are few files. */
const [fewRows, fewFiles, mostRows] = [150, 12, 4_000];

/** The changes of a worktree against its base, by file. Loaded again when its content changes. */
export function WorktreeDiff({ session, worktree }: { session: SessionId; worktree: WorktreeListing }) {
  const [diff, setDiff] = useState<string | undefined>(undefined);
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const { name } = worktree;
  const holds = JSON.stringify([worktree.commits, worktree.files]);
  useEffect(() => {
    const left = new AbortController();
    fetchJson(`/api/diff?${new URLSearchParams({ session, worktree: name })}`, { signal: left.signal })
      .then((answer) => {
        setDiff(Answer.parse(answer).diff);
        setProblem(undefined);
      })
      .catch((error: unknown) => {
        if (!left.signal.aborted) setProblem(messageOf(error));
      });
    return () => left.abort();
  }, [session, name, holds]);
  const files = useMemo(() => diffFiles(diff ?? ""), [diff]);
  if (problem !== undefined) return <p role="alert">{problem}</p>;
  if (diff === undefined) return <p className="soft">Loading the diff…</p>;
  if (files.length === 0) return <p className="soft">No changes.</p>;
  return (
    <ul className="worktree-diff">
      {files.map((file) => (
        <li key={file.path}>
          <FileDiff file={file} isOpenAtFirst={files.length <= fewFiles} />
        </li>
      ))}
    </ul>
  );
}

function FileDiff({ file: { path, patch }, isOpenAtFirst }: { file: DiffFile; isOpenAtFirst: boolean }) {
  const rows = useMemo(() => diffRows(patch), [patch]);
  const [isOpen, setOpen] = useState(isOpenAtFirst && rows.length <= fewRows);
  return (
    <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{visibleLine(path)}</summary>
      {isOpen && <Diff rows={rows.slice(0, mostRows)} label={`Changes in ${visibleLine(path)}`} />}
      {isOpen && rows.length > mostRows && <p className="soft">{rows.length - mostRows} more lines are not shown.</p>}
    </details>
  );
}
