import type { SessionId } from "../../../../src/protocol/index.ts";
import "./transcript-view.css";

export function TranscriptView({ session }: { session: SessionId }) {
  return (
    <section className="transcript-view" data-session={session}>
      <h2>Transcript</h2>
    </section>
  );
}
