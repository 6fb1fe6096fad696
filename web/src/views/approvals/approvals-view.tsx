import { useEffect, useRef } from "react";
import type { SessionId } from "../../../../src/protocol/index.ts";
import { useApprovals } from "../../state/approvals.ts";
import { useDashboard } from "../../state/dashboard-store.ts";
import { ApprovalCard } from "./approval-card.tsx";
import "./approvals-view.css";

/** So long after questions have come, gone or moved a press is not taken for an answer: it was meant for what stood there. */
const settleMs = 400;

/** Everything that waits for an answer, the oldest first. */
export function ApprovalsView({ session }: { session: SessionId }) {
  const approvals = useApprovals(session);
  const isReplay = useDashboard((state) => state.replayAt !== undefined);
  const ids = approvals.map(({ question }) => question.requestId).join(" ");
  const movedAt = useRef(0);
  const heading = useRef<HTMLHeadingElement>(null);
  const before = useRef(ids);
  useEffect(() => {
    movedAt.current = performance.now();
    // What had the focus is gone with the question: it is not left nowhere.
    if (before.current.length > ids.length && document.activeElement === document.body) heading.current?.focus();
    before.current = ids;
  }, [ids]);
  return (
    <section className="approvals" aria-labelledby="approvals-title">
      <h2 id="approvals-title" ref={heading} tabIndex={-1}>
        Approvals {approvals.length > 0 && <span className="soft">{approvals.length} waiting</span>}
      </h2>
      {approvals.length === 0 && (
        <p className="approvals-none soft">
          {isReplay
            ? "Nobody waited for an answer at this moment."
            : "Nobody waits for an answer. Questions of all agents of this session and its team come up here."}
        </p>
      )}
      <ul>
        {approvals.map((approval) => (
          <li key={approval.question.requestId}>
            <ApprovalCard
              approval={
                isReplay
                  ? { ...approval, readOnlyReason: "This is a replay: nothing can be answered in it." }
                  : approval
              }
              isSettled={() => performance.now() - movedAt.current > settleMs}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}
