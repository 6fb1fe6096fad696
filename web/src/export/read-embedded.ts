import * as z from "zod";
import { Envelope, SessionId, SessionListing } from "../../../src/protocol/index.ts";
import type { Embedded } from "./embedded-server.ts";

const Head = z.object({ session: SessionId, sessions: z.array(SessionListing), envelopes: z.array(z.unknown()) });

/** What the file carries: JSON, packed, as base64. */
export async function readEmbedded(packed: string): Promise<Embedded> {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.codePointAt(0) ?? 0);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const { session, sessions, envelopes } = Head.parse(JSON.parse(await new Response(stream).text()));
  return { session, sessions, envelopes: envelopes.map((envelope) => Envelope.parse(envelope)) };
}
