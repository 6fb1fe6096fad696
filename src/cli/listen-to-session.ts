import type { Envelope, SessionId } from "../protocol/index.ts";
import { openObservatory, stateHome } from "../session/index.ts";

/** What happens in a session of another process, from its beginning on, until the signal aborts. */
export async function* listenToSession(
  env: NodeJS.ProcessEnv,
  session: SessionId,
  signal: AbortSignal,
): AsyncGenerator<readonly Envelope[]> {
  const observatory = openObservatory({ home: stateHome(env) });
  try {
    const observed = await observatory.open(session);
    for await (const each of observed.events({ signal })) if (each.kind === "envelopes") yield each.envelopes;
  } finally {
    await observatory.close();
  }
}
