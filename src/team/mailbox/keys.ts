import { createSecretKey, type KeyObject } from "node:crypto";
import { TroupeError } from "../../protocol/index.ts";

/** Members' keys, each asked for once. */
export interface Keys {
  /** Undefined for who has none, or does not exist. At once, if it is known already. */
  of(name: string): KeyObject | undefined | Promise<KeyObject | undefined>;
}

export function createKeys(keyOf: (name: string) => Promise<Uint8Array | undefined>): Keys {
  const known = new Map<string, KeyObject>();

  const ask = async (name: string) => {
    const secret = await keyOf(name).catch((error: unknown) => {
      if (TroupeError.is(error) && error.code === "team") return undefined;
      throw error;
    });
    if (secret === undefined) return undefined;
    const key = createSecretKey(secret);
    known.set(name, key);
    return key;
  };

  return { of: (name) => known.get(name) ?? ask(name) };
}
