import { createPublicKey, verify } from "node:crypto";
import { type Team, teamLead } from "../../../protocol/index.ts";
import type { TeamEntry } from "./team-entry.ts";

type KeyEntry = Extract<TeamEntry, { do: "key" }>;

/** The number of this member's next key. */
export const nextEndorsementNumber = ({ publicKeys, formerKeys }: Team, name: string): number =>
  (publicKeys?.[name] === undefined ? 0 : 1) + (formerKeys?.[name]?.length ?? 0) + 1;

/**
 * The text that the lead signs. It is valid only for this key of this member of this team, at this position of its
 * keys.
 */
export const endorsementText = (
  { name: team }: Pick<Team, "name">,
  { name, publicKey }: Pick<KeyEntry, "name" | "publicKey">,
  number: number,
): Buffer => Buffer.from(JSON.stringify(["the key of a member", team, name, publicKey, number]));

/** True if the lead has endorsed this key for a member that runs on workers. */
export function isEndorsed(team: Team, entry: KeyEntry): boolean {
  const lead = team.publicKeys?.[teamLead];
  const { voucher, name, publicKey } = entry;
  if (lead === undefined || voucher === undefined || team.publicKeys?.[name] === publicKey) return false;
  if (voucher.number !== nextEndorsementNumber(team, name)) return false;
  const key = createPublicKey({ key: Buffer.from(lead, "base64"), format: "der", type: "spki" });
  return verify(null, endorsementText(team, entry, voucher.number), key, Buffer.from(voucher.signature, "base64"));
}

export function withKey(team: Team, { name, publicKey }: KeyEntry): Team {
  const before = team.publicKeys?.[name];
  const former = [...(team.formerKeys?.[name] ?? []), ...(before === undefined ? [] : [before])];
  return {
    ...team,
    publicKeys: { ...team.publicKeys, [name]: publicKey },
    ...(before !== undefined && { formerKeys: { ...team.formerKeys, [name]: former } }),
  };
}
