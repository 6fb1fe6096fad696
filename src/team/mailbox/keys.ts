import { createPrivateKey, createPublicKey, createSecretKey, type KeyObject } from "node:crypto";
import { TroupeError } from "../../protocol/index.ts";
import type { KeyUse, MemberKey } from "../../store/index.ts";
import type { MailboxMembers } from "./mailbox.ts";

/** Members' keys, each asked for once. */
export interface Keys {
  /** Undefined for who has none, or does not exist. */
  toSign(name: string): Promise<KeyObject | undefined>;
  toCheck(name: string): Promise<KeyObject | undefined>;
  /** The key to sign with, at once, if it was asked for before. */
  knownToSign(name: string): KeyObject | undefined;
}

export function createKeys(keyOf: MailboxMembers["keyOf"]): Keys {
  const known = { sign: new Map<string, KeyObject>(), check: new Map<string, KeyObject>() };

  const ask = async (name: string, use: KeyUse) => {
    const found = await keyOf(name, use).catch((error: unknown) => {
      if (TroupeError.is(error) && error.code === "team") return undefined;
      throw error;
    });
    if (found === undefined) return undefined;
    const key = keyObject(found);
    known[use].set(name, key);
    return key;
  };

  return {
    toSign: async (name) => known.sign.get(name) ?? ask(name, "sign"),
    toCheck: async (name) => known.check.get(name) ?? ask(name, "check"),
    knownToSign: (name) => known.sign.get(name),
  };
}

function keyObject(key: MemberKey): KeyObject {
  switch (key.type) {
    case "secret":
      return createSecretKey(key.secret);
    case "private":
      return createPrivateKey({ key: Buffer.from(key.der), format: "der", type: "pkcs8" });
    case "public":
      return createPublicKey({ key: Buffer.from(key.der), format: "der", type: "spki" });
  }
}
