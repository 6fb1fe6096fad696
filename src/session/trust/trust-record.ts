import { createHash } from "node:crypto";
import { readdirSync, statSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { hasErrorCode, makeFolder, projectName, writeFileAtomic } from "../../platform/index.ts";
import { TroupeError } from "../../protocol/index.ts";
import { parseStrictJson } from "../files/parse-strict-json.ts";
import { readBoundedFile } from "../files/read-bounded-file.ts";
import type { WithheldSetting } from "./withheld-settings.ts";

/** What the user has said about one folder: that it may act, and by which of its settings as they were then. */
export const TrustRecord = z.object({
  version: z.literal(1),
  /** The real path. */
  path: z.string(),
  /** The user that the folder belonged to. */
  owner: z.number().int(),
  trustedAt: z.iso.datetime(),
  /** The settings that were shown, by their digest. */
  shown: z.array(z.object({ source: z.string(), key: z.string(), digest: z.string() })),
});
export type TrustRecord = z.infer<typeof TrustRecord>;

const sizeLimit = 1_000_000;

/** One file for each folder, so that two that are trusted at the same moment never overwrite each other. */
export const trustFile = (home: string, folder: string): string => join(home, "trust", `${projectName(folder)}.json`);

/** Undefined: nothing was ever said about this folder. A record that cannot be read is an error, not a no. */
export function readTrustRecord(file: string): TrustRecord | undefined {
  const read = readBoundedFile(file, sizeLimit);
  if (read.kind === "absent") return undefined;
  if (read.kind === "unreadable") throw broken(file, read.reason);
  const checked = parseStrictJson(new TextDecoder().decode(read.bytes));
  if ("fault" in checked) throw broken(file, "it is not JSON");
  const parsed = TrustRecord.safeParse(checked.value);
  if (!parsed.success) throw broken(file, "it does not have the right form");
  return parsed.data;
}

export async function writeTrustRecord(home: string, record: TrustRecord): Promise<void> {
  const file = trustFile(home, record.path);
  await makeFolder(join(home, "trust"));
  await writeFileAtomic(file, `${JSON.stringify(record, null, 2)}\n`, { mode: 0o600 });
}

/** Whether there was anything to forget. */
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

/** Who a folder belongs to now: a folder of the same name that somebody else has made is another folder. */
export const ownerOf = (folder: string): number => statSync(folder).uid;

export const digestOf = ({ value }: WithheldSetting): string =>
  createHash("sha256")
    .update(JSON.stringify(value) ?? "")
    .digest("hex");

const broken = (file: string, why: string) =>
  new TroupeError("settings", `${file} cannot be used: ${why}. Remove it and trust the folder again.`);
