import type { Envelope, MailReading, SessionId, SessionListing, WorktreeListing } from "../../../src/protocol/index.ts";
import { isTranscriptEvent } from "../../../src/view/index.ts";

/** The content of the file: everything the server would send about a session and its team. */
export interface Embedded {
  readonly session: SessionId;
  readonly sessions: readonly SessionListing[];
  readonly envelopes: readonly Envelope[];
  readonly mail: MailReading;
  /** As they were when the file was created. */
  readonly worktrees: readonly WorktreeListing[];
  readonly diffs: Readonly<Record<string, string>>;
}

const refusal = { ok: false, code: "not_running", message: "this is an exported file: commands cannot be sent" };

/**
 * Replaces the server in an exported page: the same addresses give the same answers, from the file. So the page need
 * not know whether it is a file.
 */
export function installEmbeddedServer(
  embedded: Embedded,
  page: Pick<typeof globalThis, "fetch" | "EventSource">,
): void {
  const bySession = new Map<string, Envelope[]>();
  for (const envelope of embedded.envelopes) {
    const known = bySession.get(envelope.session) ?? [];
    known.push(envelope);
    bySession.set(envelope.session, known);
  }

  class EmbeddedSource extends EventTarget {
    #isClosed = false;

    constructor(address: string | URL) {
      super();
      const { searchParams } = new URL(address, "http://file");
      const wanted = searchParams.get("session");
      // The caller adds its listener after the constructor returns.
      setTimeout(() => this.#tell(wanted ?? undefined), 0);
    }

    #tell(wanted: string | undefined) {
      if (this.#isClosed) return;
      this.dispatchEvent(new Event("open"));
      this.#say("sessions", embedded.sessions);
      if (wanted === undefined) return;
      const requestedUrl = wanted === embedded.session ? [...bySession.keys()] : [wanted];
      for (const session of requestedUrl) {
        const all = bySession.get(session) ?? [];
        for (let at = 0; at < all.length; at += batch) this.#say("envelopes", all.slice(at, at + batch));
        this.#say("caught-up", { session });
      }
    }

    #say(type: string, data: unknown) {
      if (!this.#isClosed) this.dispatchEvent(new MessageEvent(type, { data: JSON.stringify(data) }));
    }

    close() {
      this.#isClosed = true;
    }
  }

  const answer = (address: URL): Response => {
    const { pathname, searchParams } = address;
    if (pathname === "/api/command") return Response.json(refusal);
    if (pathname === "/api/worktrees") return Response.json(embedded.worktrees);
    if (pathname === "/api/mail") return Response.json(mailSince(embedded.mail, searchParams.get("since") ?? ""));
    const diff = embedded.diffs[searchParams.get("worktree") ?? ""];
    if (pathname === "/api/diff" && diff !== undefined) return Response.json({ diff });
    if (pathname !== "/api/transcript") return Response.json({ message: refusal.message }, { status: 404 });
    const [session, agent] = [searchParams.get("session") ?? "", searchParams.get("agent")];
    const all = bySession.get(session) ?? [];
    const one = agent ?? all[0]?.agent;
    return Response.json(all.filter((each) => each.agent === one && isTranscriptEvent(each.event.type)));
  };

  Object.assign(page, {
    EventSource: EmbeddedSource,
    fetch: async (input: RequestInfo | URL) =>
      answer(new URL(input instanceof Request ? input.url : input, "http://file")),
  });
}

const mailSince = ({ mail, problems }: MailReading, since: string): MailReading => ({
  mail: mail.filter(({ mail: { timestamp } }) => timestamp >= since),
  problems,
});

const batch = 500;
