import { useEffect, useRef } from "react";
import type { SessionId } from "../../../../src/protocol/index.ts";
import { useApprovals } from "../../state/approvals.ts";
import { useDashboard } from "../../state/dashboard-store.ts";
import { ApprovalCard } from "./approval-card.tsx";
import "./approvals-view.css";

/**
 * After questions have appeared, vanished or moved, presses are ignored for this time: they were meant for the previous
 * layout.
 */
const settleMs = 400;

/** All open questions, oldest first. */
export function ApprovalsView({ session }: { session: SessionId }) {
  const approvals = useApprovals(session);
  const isReplay = useDashboard((state) => state.replayAt !== undefined);
  const ids = approvals.map(({ question }) => question.requestId).join(" ");
  const movedAt = useRef(0);
  const heading = useRef<HTMLHeadingElement>(null);
  const before = useRef(ids);
  useEffect(() => {
    movedAt.current = performance.now();
    // The focused element vanished with its question, so the focus moves to the heading.
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
            ? "No open questions at this time."
            : "No open questions. Questions of all agents of this session and its team appear here."}
        </p>
      )}
      <ul>
        {approvals.map((approval) => (
          <li key={approval.question.requestId}>
            <ApprovalCard
              approval={
                isReplay ? { ...approval, readOnlyReason: "This is a replay: questions cannot be answered." } : approval
              }
              isSettled={() => performance.now() - movedAt.current > settleMs}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}
