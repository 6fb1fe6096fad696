import { join } from "node:path";
import * as z from "zod";
import { makeFolder, openStateRoot, readJsonFile, writeFileAtomic } from "../../platform/index.ts";
import { createToken, isTokenShaped } from "../../web-server/index.ts";

const StoredToken = z.object({ token: z.string().refine(isTokenShaped), madeAt: z.iso.datetime() });

/** For this long an open page can reconnect after a restart of the server. */
const maxAgeMs = 24 * 60 * 60_000;

/**
 * Returns the token for a port: the stored one if it is recent enough, otherwise a new one. It is stored in a file that
 * only the user can read.
 */
export async function dashboardToken(
  home: string,
  { port, now }: { readonly port: number; readonly now: number },
): Promise<string> {
  const root = await openStateRoot(home);
  const file = join(await makeFolder(join(root.path, "web")), `${port}.json`);
  const kept = await readJsonFile(file, StoredToken);
  if (kept && now - Date.parse(kept.madeAt) < maxAgeMs) return kept.token;
  const token = createToken();
  await writeFileAtomic(file, `${JSON.stringify({ token, madeAt: new Date(now).toISOString() })}\n`);
  return token;
}
