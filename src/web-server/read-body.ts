import { maxBodyBytes, type Refusal, tooLarge } from "./request-guard.ts";

/** Returns the body as text. Stops reading when it is too long. */
export async function readBody(
  request: Request,
): Promise<{ readonly ok: true; readonly text: string } | { readonly ok: false; readonly refusal: Refusal }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > maxBodyBytes) return { ok: false, refusal: tooLarge };
    chunks.push(chunk);
  }
  return { ok: true, text: new TextDecoder().decode(Buffer.concat(chunks)) };
}
