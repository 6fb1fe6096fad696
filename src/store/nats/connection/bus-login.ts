import { readFileSync } from "node:fs";
import { type Authenticator, credsAuthenticator, nkeyAuthenticator } from "@nats-io/transport-node";
import { TroupeError } from "../../../protocol/index.ts";

/**
 * Shows who one is with what is in this file: a user's JWT and seed, or the seed of an nkey alone. It is read again each
 * time the connection comes back, so that credentials can be renewed under a team that runs.
 */
export function loginFromFile(path: string): Authenticator {
  let login = readLogin(path);
  return (nonce) => {
    try {
      login = readLogin(path);
    } catch (error) {
      // Just being replaced: what was good before is tried, and the server has the last word.
      if (!TroupeError.is(error)) throw error;
    }
    return login(nonce);
  };
}

function readLogin(path: string): Authenticator {
  const text = readSecret(path);
  const login = text.includes("-----BEGIN") ? credsAuthenticator(encode(text)) : nkeyAuthenticator(encode(text.trim()));
  try {
    login("tried");
    return login;
  } catch (error) {
    throw new TroupeError(
      "settings",
      `${path} holds no credentials for the bus: neither a user's JWT and seed, as nsc writes them, nor the seed of an nkey.`,
      { cause: error },
    );
  }
}

function readSecret(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new TroupeError("settings", `The credentials for the bus cannot be read: ${why}.`, { cause: error });
  }
}

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
