import type { SessionId } from "../../../../src/protocol/index.ts";
import "./cost-view.css";

export function CostView({ session }: { session: SessionId }) {
  return (
    <section className="cost-view" data-session={session}>
      <h2>Cost</h2>
    </section>
  );
}
