import { useEffect, useRef, useState } from "react";
import { visibleLine } from "../../../src/protocol/index.ts";
import type { Approval } from "../state/approvals.ts";

/** Announces new permission questions to screen readers. */
export function NewApprovals({ approvals }: { approvals: readonly Approval[] }) {
  const known = useRef<ReadonlySet<string>>(new Set());
  const [words, setWords] = useState("");
  useEffect(() => {
    const fresh = approvals.filter(({ question }) => !known.current.has(question.requestId));
    known.current = new Set(approvals.map(({ question }) => question.requestId));
    const [first] = fresh;
    if (!first) return;
    const more = fresh.length > 1 ? ` and ${fresh.length - 1} more` : "";
    setWords(`${visibleLine(first.asker.name)} asks for permission to use ${visibleLine(first.question.tool)}${more}`);
  }, [approvals]);
  return (
    <div className="unseen" aria-live="assertive" data-testid="new-approvals">
      {words}
    </div>
  );
}
