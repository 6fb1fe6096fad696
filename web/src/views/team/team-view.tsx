import type { SessionId } from "../../../../src/protocol/index.ts";
import "./team-view.css";

export function TeamView({ session }: { session: SessionId }) {
  return (
    <section className="team-view" data-session={session}>
      <h2>Team</h2>
    </section>
  );
}
