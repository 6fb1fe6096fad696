import { useEffect, useRef } from "react";
import type { SessionId } from "../../../../src/protocol/index.ts";
import { useApprovals } from "../../state/approvals.ts";
import { useDashboard } from "../../state/dashboard-store.ts";
import { AnswerHistoryList } from "./answer-history-list.tsx";
import { ApprovalList } from "./approval-list.tsx";

/** All open questions of a session, and the last answers. */
export function ApprovalsView({ session }: { session: SessionId }) {
  const approvals = useApprovals(session);
  const isReplay = useDashboard((state) => state.replayAt !== undefined);
  const count = approvals.length;
  const heading = useRef<HTMLHeadingElement>(null);
  const before = useRef(count);
  useEffect(() => {
    // The focused element vanished with its question, so the focus moves to the heading.
    if (before.current > count && document.activeElement === document.body) heading.current?.focus();
    before.current = count;
  }, [count]);
  return (
    <section className="approvals" aria-labelledby="approvals-title">
      <div className="approvals-head">
        <h2 id="approvals-title" ref={heading} tabIndex={-1}>
          Approvals {count > 0 && <span className="soft">{count} waiting</span>}
        </h2>
        {count > 0 && !isReplay && (
          <p className="soft approvals-keys">
            <kbd>j</kbd> <kbd>k</kbd> choose · <kbd>y</kbd> yes, once · <kbd>n</kbd> no · <kbd>a</kbd> <kbd>a</kbd>{" "}
            always
          </p>
        )}
      </div>
      {count === 0 && (
        <p className="approvals-none soft">
          {isReplay
            ? "No open questions at this time."
            : "No open questions. Questions of all agents of this session and its team appear here."}
        </p>
      )}
      <ApprovalList
        approvals={
          isReplay
            ? approvals.map((approval) => ({
                ...approval,
                readOnlyReason: "This is a replay: questions cannot be answered.",
              }))
            : approvals
        }
      />
      <AnswerHistoryList session={session} />
    </section>
  );
}
