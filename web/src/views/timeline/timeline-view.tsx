import type { SessionId } from "../../../../src/protocol/index.ts";
import "./timeline-view.css";

export function TimelineView({ session }: { session: SessionId }) {
  return (
    <section className="timeline-view" data-session={session}>
      <h2>Timeline</h2>
    </section>
  );
}
