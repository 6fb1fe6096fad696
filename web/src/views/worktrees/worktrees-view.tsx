import type { SessionId } from "../../../../src/protocol/index.ts";
import "./worktrees-view.css";

export function WorktreesView({ session }: { session: SessionId }) {
  return (
    <section className="worktrees-view" data-session={session}>
      <h2>Worktrees</h2>
    </section>
  );
}
