import { useEffect, useRef, useState } from "react";
import { visibleLine } from "../../../src/protocol/index.ts";
import { hrefOf } from "../route.ts";
import type { Approval } from "../state/approvals.ts";
import { notify } from "../state/notifications.ts";

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
    const text = `${visibleLine(first.asker.name)} asks for permission to use ${visibleLine(first.question.tool)}${more}`;
    setWords(text);
    notify(text, { tag: first.question.requestId, href: hrefOf(first.session, "approvals") });
  }, [approvals]);
  return (
    <div className="unseen" aria-live="assertive" data-testid="new-approvals">
      {words}
    </div>
  );
}
