import { readFile } from "node:fs/promises";
import { dirname } from "node:path";
import * as z from "zod";
import { makeFolder, writeFileAtomic } from "../../platform/index.ts";
import { TroupeError } from "../../protocol/index.ts";

/** Validates only the fields that are changed here. All others are kept as they are. */
const LocalSettings = z.looseObject({
  permissions: z.looseObject({ allow: z.array(z.string()).optional() }).optional(),
});

/**
 * Adds rules to the user's settings for one folder. The file is under TROUPE_HOME and not in the folder, because files
 * in the folder would need trust first.
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
    throw new TroupeError("settings", `cannot save the rule: ${file} cannot be read: ${String(error)}`, {
      cause: error,
    });
  }
  try {
    return LocalSettings.parse(JSON.parse(text));
  } catch (error) {
    throw new TroupeError("settings", `cannot save the rule: ${file} is invalid. Fix it first.`, {
      cause: error,
    });
  }
}
