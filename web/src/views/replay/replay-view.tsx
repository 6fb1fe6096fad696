import type { SessionId } from "../../../../src/protocol/index.ts";
import "./replay-view.css";

export function ReplayView({ session }: { session: SessionId }) {
  return (
    <section className="replay-view" data-session={session}>
      <h2>Replay</h2>
    </section>
  );
}
