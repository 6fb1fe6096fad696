import type { SessionId } from "../../../../src/protocol/index.ts";
import "./approvals-view.css";

export function ApprovalsView({ session }: { session: SessionId }) {
  return (
    <section className="approvals-view" data-session={session}>
      <h2>Approvals</h2>
    </section>
  );
}
