import { createSecretKey, type KeyObject } from "node:crypto";
import type { TeamRecord } from "../../../src/store/index.ts";

/** The signing key of a member of a team on files. */
export async function secretOf(record: TeamRecord, name: string): Promise<KeyObject> {
  const key = await record.keyOf(name, "sign");
  if (key?.type !== "secret") throw new Error(`${name} has no secret`);
  return createSecretKey(key.secret);
}
