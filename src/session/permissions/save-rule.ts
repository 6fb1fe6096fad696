import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import * as z from "zod";
import { makeFolder, writeFileAtomic } from "../../platform/index.ts";
import { TroupeError } from "../../protocol/index.ts";

/** Only what is touched here is looked at; everything else in the file is kept as it is. */
const LocalSettings = z.looseObject({
  permissions: z.looseObject({ allow: z.array(z.string()).optional() }).optional(),
});

/**
 * Adds rules to the user's settings for one folder. The file is under TROUPE_HOME and not in the folder: what lies in the
 * folder could have come with it, and would have to be trusted first.
 */
export async function saveRules(file: string, rules: readonly string[]): Promise<void> {
  const settings = await readSettings(file);
  const allow = [...new Set([...(settings.permissions?.allow ?? []), ...rules])];
  const next = { ...settings, permissions: { ...settings.permissions, allow } };
  await makeFolder(dirname(file));
  await writeFileAtomic(file, `${JSON.stringify(next, null, 2)}\n`, { mode: 0o600 });
}

async function readSettings(file: string): Promise<z.infer<typeof LocalSettings>> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    if ((error as { code?: unknown }).code === "ENOENT") return {};
    throw new TroupeError("settings", `${file} cannot be read, so the rule was not kept: ${String(error)}`, {
      cause: error,
    });
  }
  try {
    return LocalSettings.parse(JSON.parse(text));
  } catch (error) {
    throw new TroupeError("settings", `${file} is not valid, so the rule was not kept: mend it first`, {
      cause: error,
    });
  }
}
