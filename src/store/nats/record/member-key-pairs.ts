import { createPrivateKey, createPublicKey, generateKeyPairSync } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { hasErrorCode, safeName, storageError, createExclusive } from "../../../platform/index.ts";

/** A pair of Ed25519 keys as DER. */
export interface KeyPair {
  readonly privateKey: Uint8Array;
  readonly publicKey: Uint8Array;
}

/**
 * Returns the key pair that this machine uses to sign for a member, or undefined if it does not sign. The public key is
 * in the record.
 */
export async function readPair(folder: string, name: string): Promise<KeyPair | undefined> {
  const path = join(folder, safeName(name));
  try {
    const privateKey = Buffer.from((await readFile(path, "utf8")).trim(), "base64");
    return { privateKey, publicKey: publicOf(privateKey) };
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return undefined;
    throw storageError("use", path, error);
  }
}

/** Creates the pair once, at first use. The private key never leaves this machine. */
export async function makePair(folder: string, name: string): Promise<KeyPair> {
  const path = join(folder, safeName(name));
  const known = await readPair(folder, name);
  if (known !== undefined) return known;
  const { privateKey } = generateKeyPairSync("ed25519");
  await createExclusive(path, privateKey.export({ format: "der", type: "pkcs8" }).toString("base64"));
  const made = await readPair(folder, name);
  if (made === undefined) throw storageError("read", path, new Error("it was removed right after it was created"));
  return made;
}

const publicOf = (der: Buffer): Uint8Array =>
  createPublicKey(createPrivateKey({ key: der, format: "der", type: "pkcs8" })).export({ format: "der", type: "spki" });
