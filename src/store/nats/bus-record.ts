import { TroupeError } from "../../protocol/index.ts";
import type { Journal } from "../team/journal.ts";
import type { TeamEntry } from "../team/team-entry.ts";
import type { RefusedTeam, TeamState } from "../team/team-fold.ts";
import type { MemberKey, TeamRecord } from "../team/team-record-port.ts";
import { createRecord, type RecordKeys } from "../team/team-record.ts";
import type { Clock } from "../../platform/index.ts";
import type { Team } from "../../protocol/index.ts";
import { type KeyPair, makePair, readPair } from "./bus-keys.ts";

type TeamJournal = Journal<TeamState, TeamEntry, Team, RefusedTeam>;

/** A team record on the bus: public keys are in it, the other halves on the machine of who signs. */
export function createBusRecord(
  journal: TeamJournal,
  options: { readonly clock: Pick<Clock, "now">; readonly subject: string; readonly keysFolder: string },
): TeamRecord {
  const { clock, keysFolder, subject } = options;
  const knownOf = (name: string) => journal.read().team?.publicKeys?.[name];

  const toCheck = async (name: string): Promise<MemberKey | undefined> => {
    const known = knownOf(name) ?? (await journal.fresh()).team?.publicKeys?.[name];
    return known === undefined ? undefined : { type: "public", der: Buffer.from(known, "base64") };
  };

  /** The first who signs for a member is the one who does, from then on. */
  const toSign = async (name: string): Promise<MemberKey | undefined> => {
    const pair = knownOf(name) === undefined ? await makePair(keysFolder, name) : await readPair(keysFolder, name);
    if (pair === undefined) return undefined;
    if (knownOf(name) === undefined) await journal.write(keyEntry(name, pair));
    return knownOf(name) === base64(pair.publicKey) ? { type: "private", der: pair.privateKey } : undefined;
  };

  const keyEntry = (name: string, { publicKey }: KeyPair): TeamEntry => {
    return { do: "key", at: new Date(clock.now()).toISOString(), name, publicKey: base64(publicKey) };
  };

  const keys: RecordKeys = {
    // Who runs elsewhere signs there.
    join: async ({ name, backendType }) => {
      if (backendType === "remote") return;
      if ((await toSign(name)) === undefined)
        throw new TroupeError("team", `Somebody else signs for ${name} already, though it has only just joined.`);
    },
    keyOf: (name, use) => (use === "sign" ? toSign(name) : toCheck(name)),
  };
  return createRecord(journal, { clock, where: subject, keys });
}

export const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");
