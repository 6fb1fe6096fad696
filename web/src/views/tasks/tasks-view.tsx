import type { SessionId } from "../../../../src/protocol/index.ts";
import "./tasks-view.css";

export function TasksView({ session }: { session: SessionId }) {
  return (
    <section className="tasks-view" data-session={session}>
      <h2>Tasks</h2>
    </section>
  );
}
