import { join } from "node:path";
import * as z from "zod";
import { makeFolder, openStateRoot, readJsonFile, writeFileAtomic } from "../../platform/index.ts";
import { createToken, isTokenShaped } from "../../web-server/index.ts";

const StoredToken = z.object({ token: z.string().refine(isTokenShaped), madeAt: z.iso.datetime() });

/** So long a page that is open may find the server again after it was started anew. */
const maxAgeMs = 24 * 60 * 60_000;

/** The token for a port: the one of the last server there if that was today, else a new one; kept where only the user can read. */
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
