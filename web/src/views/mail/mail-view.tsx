import type { SessionId } from "../../../../src/protocol/index.ts";
import "./mail-view.css";

export function MailView({ session }: { session: SessionId }) {
  return (
    <section className="mail-view" data-session={session}>
      <h2>Mail</h2>
    </section>
  );
}
