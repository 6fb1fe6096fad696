import type { Envelope, SessionId } from "../../protocol/index.ts";
import { openSessionDirectory, homeFolder } from "../../session/index.ts";

/** Yields the events of a session in another process, from its beginning, until the signal aborts. */
export async function* followSessionEvents(
  env: NodeJS.ProcessEnv,
  session: SessionId,
  signal: AbortSignal,
): AsyncGenerator<readonly Envelope[]> {
  const sessionDirectory = openSessionDirectory({ home: homeFolder(env) });
  try {
    const observed = await sessionDirectory.open(session);
    for await (const each of observed.events({ signal })) if (each.kind === "envelopes") yield each.envelopes;
  } finally {
    await sessionDirectory.close();
  }
}
