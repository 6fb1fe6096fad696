import { createPrivateKey, sign } from "node:crypto";
import { teamLead, TroupeError } from "../../../protocol/index.ts";
import type { Journal } from "../../team/journal/journal.ts";
import { nextEndorsementNumber, endorsementText } from "../../team/record/key-endorsements.ts";
import type { TeamEntry } from "../../team/record/team-entry.ts";
import type { RefusedTeam, TeamState } from "../../team/record/team-fold.ts";
import type { MemberKey, TeamRecord } from "../../team/record/team-record.ts";
import { createRecord, type RecordKeys } from "../../team/record/journal-team-record.ts";
import type { Clock } from "../../../platform/index.ts";
import type { Team } from "../../../protocol/index.ts";
import { type KeyPair, makePair, readPair } from "./member-key-pairs.ts";

type TeamJournal = Journal<TeamState, TeamEntry, Team, RefusedTeam>;

/** A team record on the bus. It contains the public keys; each private key stays on the machine that signs. */
export function createBusRecord(
  journal: TeamJournal,
  options: { readonly clock: Pick<Clock, "now">; readonly subject: string; readonly keysFolder: string },
): TeamRecord {
  const { clock, keysFolder, subject } = options;
  const knownOf = (name: string) => journal.read().team?.publicKeys?.[name];

  const toCheck = async (name: string): Promise<MemberKey | undefined> => {
    // The key of a member on a worker can change.
    const team = isOfWorker(name) || knownOf(name) === undefined ? (await journal.fresh()).team : journal.read().team;
    const known = team?.publicKeys?.[name];
    if (known === undefined) return undefined;
    const former = team?.formerKeys?.[name]?.map((each) => Buffer.from(each, "base64"));
    return { type: "public", der: Buffer.from(known, "base64"), ...(former && { former }) };
  };

  /** The first process that signs for a member keeps that right. */
  const toSign = async (name: string): Promise<MemberKey | undefined> => {
    if (isOfWorker(name)) return endorsedPair(name);
    const pair = knownOf(name) === undefined ? await makePair(keysFolder, name) : await readPair(keysFolder, name);
    if (pair === undefined) return undefined;
    if (knownOf(name) === undefined) await journal.write(keyEntry(name, pair));
    return knownOf(name) === base64(pair.publicKey) ? { type: "private", der: pair.privateKey } : undefined;
  };

  const isOfWorker = (name: string) =>
    journal.read().team?.members.some((member) => member.name === name && member.worker !== undefined) ?? false;

  /** Returns the key once the lead has written it to the record. */
  const endorsedPair = async (name: string): Promise<MemberKey | undefined> => {
    const pair = await readPair(keysFolder, name);
    const isEndorsed = pair !== undefined && knownOf(name) === base64(pair.publicKey);
    return isEndorsed ? { type: "private", der: pair.privateKey } : undefined;
  };

  const endorseKey = async (name: string, publicKey: string): Promise<void> => {
    const lead = await readPair(keysFolder, teamLead);
    if (lead === undefined) throw new TroupeError("team", `Only the lead's machine can confirm the key of ${name}.`);
    const key = createPrivateKey({ key: Buffer.from(lead.privateKey), format: "der", type: "pkcs8" });
    for (let times = 0; times < 10; times++) {
      const { team } = await journal.fresh();
      if (team === undefined || team.publicKeys?.[name] === publicKey) return;
      const number = nextEndorsementNumber(team, name);
      const signature = sign(null, endorsementText(team, { name, publicKey }, number), key).toString("base64");
      const at = new Date(clock.now()).toISOString();
      await journal.write({ do: "key", at, name, publicKey, voucher: { number, signature } });
    }
    throw new TroupeError("team", `The team record does not accept the key of ${name}.`);
  };

  const keyEntry = (name: string, { publicKey }: KeyPair): TeamEntry => {
    return { do: "key", at: new Date(clock.now()).toISOString(), name, publicKey: base64(publicKey) };
  };

  const keys: RecordKeys = {
    // A remote member signs on its own machine.
    join: async ({ name, backendType }) => {
      if (backendType === "remote") return;
      if ((await toSign(name)) === undefined)
        throw new TroupeError("team", `Another process already signs for ${name}, although it has only just joined.`);
    },
    keyOf: (name, use) => (use === "sign" ? toSign(name) : toCheck(name)),
    offerKey: async (name) => base64((await makePair(keysFolder, name)).publicKey),
    vouchFor: endorseKey,
  };
  return createRecord(journal, { clock, where: subject, keys });
}

export const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");
