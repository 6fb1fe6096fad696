import { createPrivateKey, createPublicKey, createSecretKey, type KeyObject } from "node:crypto";
import { TroupeError } from "../../protocol/index.ts";
import type { KeyUse, MemberKey } from "../../store/index.ts";
import type { MailboxMembers } from "./mailbox.ts";

/** The members' keys, each loaded once. */
export interface MailKeys {
  /** Undefined if the member has no key or does not exist. */
  signingKey(name: string): Promise<KeyObject | undefined>;
  /** All keys the member may have signed with. Empty if it has none or does not exist. */
  verificationKeys(name: string): Promise<readonly KeyObject[]>;
  /** Like `verificationKeys`, but not cached: the key of a remote member changes with its worker. */
  freshVerificationKeys(name: string): Promise<readonly KeyObject[]>;
  /** The signing key if it is already loaded. */
  cachedSigningKey(name: string): KeyObject | undefined;
}

export function createMailKeys(keyOf: MailboxMembers["keyOf"]): MailKeys {
  const signingKey = new Map<string, KeyObject>();
  const verificationKeys = new Map<string, readonly KeyObject[]>();
  const asking = new Map<string, Promise<readonly KeyObject[]>>();

  const ask = (name: string, use: KeyUse) =>
    keyOf(name, use).catch((error: unknown) => {
      if (TroupeError.is(error) && error.code === "team") return undefined;
      throw error;
    });

  const loadSigningKey = async (name: string) => {
    const found = await ask(name, "sign");
    if (found === undefined) return undefined;
    const key = keyObject(found);
    signingKey.set(name, key);
    return key;
  };

  const loadVerificationKeys = async (name: string): Promise<readonly KeyObject[]> => {
    const found = await ask(name, "check");
    if (found === undefined) return [];
    const former = found.type === "public" ? (found.former ?? []) : [];
    const keys = [keyObject(found), ...former.map((der) => keyObject({ type: "public", der }))];
    verificationKeys.set(name, keys);
    return keys;
  };

  /** An inbox may hold many mails of one sender. They share one lookup, which opens a file. */
  const loadVerificationKeysOnce = (name: string) => {
    const asked = asking.get(name) ?? loadVerificationKeys(name).finally(() => asking.delete(name));
    asking.set(name, asked);
    return asked;
  };

  return {
    signingKey: async (name) => signingKey.get(name) ?? loadSigningKey(name),
    verificationKeys: async (name) => verificationKeys.get(name) ?? loadVerificationKeysOnce(name),
    freshVerificationKeys: loadVerificationKeys,
    cachedSigningKey: (name) => signingKey.get(name),
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
