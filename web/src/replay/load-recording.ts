import type { Envelope, SessionId } from "../../../src/protocol/index.ts";
import type { ConnectionPorts } from "../state/live-connection.ts";
import { type Message, readMessage } from "../state/read-stream-message.ts";
import { createRecording, type Recording } from "./recording.ts";

export interface LoadRecordingOptions {
  readonly open: ConnectionPorts["openStream"];
  readonly signal: AbortSignal;
  /** Called with the number of events received. */
  readonly progress: (count: number) => void;
}

/** Loads all stored events of a session and its team's members through the same stream as the live view. */
export function loadRecording(
  session: SessionId,
  { open, signal, progress }: LoadRecordingOptions,
): Promise<Recording> {
  return new Promise((resolve, reject) => {
    const received: Envelope[] = [];
    const wanted = new Set([session]);
    const done = new Set<SessionId>();
    const stream = open(`/api/events?${new URLSearchParams({ session })}`, {
      onOpen: () => undefined,
      onMessage(type, data) {
        try {
          addEnvelopes(readMessage(type, data));
        } catch (error) {
          fail(error instanceof Error ? error : new Error(String(error)));
        }
      },
      broken: () => fail(new Error("cannot reach the server")),
    });
    const end = () => {
      stream.close();
      signal.removeEventListener("abort", stop);
    };
    const fail = (error: Error) => {
      end();
      reject(error);
    };
    const stop = () => fail(new Error("the replay was closed"));
    signal.addEventListener("abort", stop, { once: true });

    const addEnvelopes = (message: Message) => {
      switch (message.kind) {
        case "envelopes":
          for (const envelope of message.envelopes) {
            received.push(envelope);
            if (envelope.session === session) lookForMember(envelope);
          }
          return progress(received.length);
        case "sessions": {
          // Does not wait for a member whose session no longer exists.
          const listings = new Set(message.sessions.map(({ id }) => id));
          listed = listings;
          for (const id of wanted) if (id !== session && !listings.has(id)) done.add(id);
          return finishIfDone();
        }
        case "gone":
          if (message.session === session) return fail(new Error(message.message));
          done.add(message.session);
          return finishIfDone();
        case "caught-up":
          done.add(message.session);
          return finishIfDone();
        case "state":
        case "summaries":
      }
    };
    let listed: ReadonlySet<SessionId> | undefined;
    const lookForMember = ({ event }: Envelope) => {
      if ((event.type !== "member.joined" && event.type !== "member.changed") || event.sessionId === undefined) return;
      wanted.add(event.sessionId);
      if (listed && !listed.has(event.sessionId)) done.add(event.sessionId);
    };
    const finishIfDone = () => {
      if (!listed || ![...wanted].every((id) => done.has(id))) return;
      end();
      resolve(createRecording(session, received));
    };
  });
}
