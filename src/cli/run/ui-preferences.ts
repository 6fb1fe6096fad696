import { join } from "node:path";
import * as z from "zod";
import { readJsonFile, writeFileAtomic } from "../../platform/index.ts";
import { TroupeError } from "../../protocol/index.ts";
import { homeFolder } from "../../session/index.ts";
import type { Preferences } from "../../tui/index.ts";

const StoredPreferences = z.object({
  showTeammateMessagePreview: z.boolean().optional().catch(undefined),
});

/** The user's last state of the screen: `ui.json` in Troupe's folder. A broken file is reported and not changed. */
export async function openPreferences(env: Readonly<Record<string, string | undefined>>): Promise<Preferences> {
  const path = join(homeFolder(env), "ui.json");
  const keep: Preferences["save"] = (now) => writeFileAtomic(path, `${JSON.stringify(now, null, 2)}\n`);
  try {
    const known = await readJsonFile(path, StoredPreferences);
    const { showTeammateMessagePreview } = known ?? {};
    const before = {
      ...(showTeammateMessagePreview !== undefined && { showTeammateMessagePreview }),
    };
    return { stored: before, problem: undefined, save: keep };
  } catch (error) {
    if (!TroupeError.is(error)) throw error;
    return { stored: {}, problem: error.message, save: async () => undefined };
  }
}
