import * as z from "zod";
import { Envelope, MailReading, SessionId, SessionListing, WorktreeListing } from "../../../src/protocol/index.ts";
import type { Embedded } from "./embedded-server.ts";

const Head = z.object({
  session: SessionId,
  sessions: z.array(SessionListing),
  envelopes: z.array(z.unknown()),
  mail: MailReading,
  worktrees: z.array(WorktreeListing),
  diffs: z.record(z.string(), z.string()),
});

/** Reads the embedded data: compressed JSON as base64. */
export async function readEmbedded(packed: string): Promise<Embedded> {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.codePointAt(0) ?? 0);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const { envelopes, ...rest } = Head.parse(JSON.parse(await new Response(stream).text()));
  return { ...rest, envelopes: envelopes.map((envelope) => Envelope.parse(envelope)) };
}
