import { createHash } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as z from "zod";
import { hasErrorCode, makeFolder, projectName, writeFileAtomic } from "../../platform/index.ts";
import { TroupeError } from "../../protocol/index.ts";
import { parseStrictJson } from "../files/parse-strict-json.ts";
import { readBoundedFile } from "../files/read-bounded-file.ts";
import type { WithheldSetting } from "./withheld-settings.ts";

/** The user's trust in one folder, with the settings that it had then. */
export const TrustRecord = z.object({
  version: z.literal(1),
  /** The real path. */
  path: z.string(),
  /** The user id that owned the folder. */
  owner: z.number().int(),
  trustedAt: z.iso.datetime(),
  /** The digests of the settings that were shown. */
  shown: z.array(z.object({ source: z.string(), key: z.string(), digest: z.string() })),
});
export type TrustRecord = z.infer<typeof TrustRecord>;

const sizeLimit = 1_000_000;

/** One file for each folder, so that concurrent writes never overwrite each other. */
export const trustFile = (home: string, folder: string): string => join(home, "trust", `${projectName(folder)}.json`);

/** The settings that the user declined, in the same form. Trust is asked again when the folder requests something new. */
export const declinedFile = (home: string, folder: string): string =>
  join(home, "trust", "declined", `${projectName(folder)}.json`);

/** Returns undefined if there is no decision about this folder. Throws if the record cannot be read. */
export function readTrustRecord(file: string): TrustRecord | undefined {
  const read = readBoundedFile(file, sizeLimit);
  if (read.kind === "absent") return undefined;
  if (read.kind === "unreadable") throw broken(file, read.reason);
  const checked = parseStrictJson(new TextDecoder().decode(read.bytes));
  if ("fault" in checked) throw broken(file, "it is not JSON");
  const parsed = TrustRecord.safeParse(checked.value);
  if (!parsed.success) throw broken(file, "it has an unknown format");
  return parsed.data;
}

export async function writeTrustRecord(file: string, record: TrustRecord): Promise<void> {
  await makeFolder(dirname(file));
  await writeFileAtomic(file, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
}

/** Returns true if a record was removed. */
export async function removeTrustRecord(home: string, folder: string): Promise<boolean> {
  try {
    await rm(trustFile(home, folder));
    return true;
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR")) return false;
    throw error;
  }
}

export function listTrustRecords(home: string): TrustRecord[] {
  const folder = join(home, "trust");
  let names: string[];
  try {
    names = readdirSync(folder).filter((name) => name.endsWith(".json"));
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR")) return [];
    throw error;
  }
  return names
    .flatMap((name) => readTrustRecord(join(folder, name)) ?? [])
    .toSorted((a, b) => a.path.localeCompare(b.path));
}

/** Returns the current owner of a folder. A folder with the same path but another owner is a different folder. */
export const ownerOf = (folder: string): number => statSync(folder).uid;

export const digestOf = ({ value }: WithheldSetting): string =>
  createHash("sha256")
    .update(JSON.stringify(value) ?? "")
    .digest("hex");

const broken = (file: string, why: string) =>
  new TroupeError("settings", `cannot use ${file}: ${why}. Remove it and trust the folder again.`);
